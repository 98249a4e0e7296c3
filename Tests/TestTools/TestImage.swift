/// A whole PNG image of three by two pixels, written by a common imaging library.
public enum TestImage {
  /// In base64.
  public static let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFUlEQVR4nGM8IWfDwMDAwMDAxAADABUsASY0+3CFAAAAAElFTkSuQmCC"
}
