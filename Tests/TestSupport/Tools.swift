// Tests that have fakes of Baton's parts have the tools too.
@_exported import TestTools
