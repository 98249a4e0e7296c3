// Makes an image small enough for relays before it is sent. It is drawn and encoded again, so only the visible part of the file is kept.

/** The longer sides to try, in pixels, and the qualities to try for each. The first result that fits is used. */
const sides = [192, 160, 128, 96, 64, 32];
const qualities = [0.9, 0.8, 0.7, 0.6];

export function offerImages(within) {
  for (const place of within.querySelectorAll("[data-image]")) new ImageField(place);
}

class ImageField {
  constructor(place) {
    this.max = Number(place.dataset.image);
    this.value = place.querySelector("input[type=hidden]");
    this.file = place.querySelector("input[type=file]");
    this.trouble = place.querySelector("[role=alert]");
    this.canvas = place.querySelector("canvas");
    this.removal = place.closest("form").querySelector("[name=noImage]");
    this.turn = 0;
    place.querySelector("[data-plain]").hidden = true;
    this.file.parentElement.hidden = false;
    document.getElementById("image-about").hidden = false;
    this.file.addEventListener("change", () => { if (this.file.files[0]) this.choose(this.file.files[0]); });
    place.querySelector("button").addEventListener("click", () => { this.drop(); this.file.focus(); });
    // One image cannot be both set and removed.
    this.removal?.addEventListener("change", () => { if (this.removal.checked) this.drop(); });
    // The form keeps the chosen image when it is shown again, even with the browser's back button.
    this.reveal();
    addEventListener("pageshow", () => this.reveal());
  }

  /** Shrinks a file, and shows the result. The form waits for that. */
  async choose(file) {
    const turn = ++this.turn;
    this.say("");
    this.file.setCustomValidity("The image is not ready yet.");
    try {
      const bitmap = await createImageBitmap(file);
      const text = encoded(bitmap, this.max);
      bitmap.close();
      if (turn !== this.turn) return;
      if (this.removal) this.removal.checked = false;
      this.value.value = text;
      await this.reveal();
    } catch {
      if (turn !== this.turn) return;
      this.drop();
      this.say(`The browser cannot read ${file.name} as an image.`);
    } finally {
      if (turn === this.turn) this.file.setCustomValidity("");
    }
  }

  drop() {
    this.turn += 1;
    this.file.setCustomValidity("");
    this.file.value = "";
    this.value.value = "";
    this.say("");
    this.canvas.parentElement.hidden = true;
  }

  /** Shows the image that will be sent. */
  async reveal() {
    const text = this.value.value;
    if (!text) return;
    try {
      const bytes = Uint8Array.from(atob(text.slice(text.indexOf(",") + 1)), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: text.slice(5, text.indexOf(";")) }));
      if (text === this.value.value) {
        draw(bitmap, this.canvas, bitmap.width, bitmap.height, false);
        this.canvas.parentElement.hidden = false;
      }
      bitmap.close();
    } catch {
      this.drop();
    }
  }

  say(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
  }
}

/** Returns a data URL of at most `max` bytes: PNG if it fits at this size, otherwise JPEG on white, and smaller until one of them fits. */
function encoded(bitmap, max) {
  const canvas = document.createElement("canvas");
  for (const side of sides) {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [bitmap.width, bitmap.height].map((length) => Math.max(1, Math.round(length * scale)));
    draw(bitmap, canvas, width, height, false);
    const exact = canvas.toDataURL("image/png");
    if (exact.length <= max) return exact;
    draw(bitmap, canvas, width, height, true);
    for (const quality of qualities) {
      const photo = canvas.toDataURL("image/jpeg", quality);
      if (photo.length <= max) return photo;
    }
  }
  throw new RangeError("the image does not fit");
}

function draw(bitmap, canvas, width, height, isOnWhite) {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  if (isOnWhite) {
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
  }
  context.drawImage(bitmap, 0, 0, width, height);
}
