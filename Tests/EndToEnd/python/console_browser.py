"""Looks at the console in a real browser: Debian's Chromium, headless, with chromedriver.

    console_browser.py SCENARIO ADDRESS [ARGUMENT...]

ADDRESS is the one that the console printed. A line that begins with "now " and a number asks whoever runs the scenario to do something, and the
scenario goes on once it sees the effect. The last of them says "done" or "wrong".
"""

import base64
import os
import socket
import sys
import tempfile
import traceback
from pathlib import Path
from urllib.parse import quote

import png_file

os.environ["SE_OFFLINE"] = "true"

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 120
AXE = Path(webdriver.__file__).parents[2] / "axe_playwright_python" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Wrong(Exception):
    pass


def check(is_right, *what):
    if not is_right:
        raise Wrong(" ".join(str(part) for part in what))


wishes = 0


def wish(text):
    """Asks whoever runs the scenario to do something."""
    global wishes
    wishes += 1
    print(f"now {wishes} {text}", flush=True)


class Browser:
    """A browser with a window of a known size, and what it complained of."""

    def __init__(self, address):
        self.base = address.split("login?")[0]
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run"]:
            options.add_argument(argument)
        # Names for tests of what other sites may do. Nothing is asked on any network.
        options.add_argument("--host-resolver-rules=MAP evil.test 127.0.0.1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self.size(1280, 900)

    def size(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def scheme(self, name):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]}
        )

    def sign_in(self, address):
        self.driver.get(address)
        self.press("Open the console")
        self.await_text("h1", "Overview")

    def open(self, path):
        self.driver.get(self.base + path)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.find(selector)
        check(found, "there is no", selector, "at", self.driver.current_url)
        return found[0]

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def texts(self, selector):
        """The texts of all elements, as they are at one moment: pages that are live replace their elements."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText.split(/\\s+/).join(' ').trim())", selector
        )

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def press(self, words):
        """Presses what is called so. If the page replaces it in this moment, it is looked for again."""
        find = """return [...document.querySelectorAll('button, a')].find(
            e => e.checkVisibility() && e.innerText.split(/\\s+/).join(' ').trim() === arguments[0])"""

        def pressed():
            element = self.script(find, words)
            if element:
                element.click()
            return element

        waiting = WebDriverWait(
            self.driver, PATIENCE, poll_frequency=0.05,
            ignored_exceptions=[StaleElementReferenceException, ElementClickInterceptedException],
        )
        try:
            waiting.until(lambda _: pressed())
        except TimeoutException:
            raise Wrong(f"there is nothing to press named {words!r} at {self.driver.current_url}") from None

    def until(self, condition, what):
        """Waits until a condition holds, and returns what it gives."""
        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: condition())
        except TimeoutException:
            raise Wrong(f"nothing came of {what} at {self.driver.current_url}") from None

    def await_text(self, selector, words):
        self.until(lambda: words in self.text(selector), f"{words!r} in {selector}")

    def complaints(self):
        """What the browser complained of since the last time, such as something that the policy of the page forbids."""
        return [line["message"] for line in self.driver.get_log("browser")]


def answers(port):
    """Whether someone listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    except OSError:
        return False


def rules(browser):
    """Breaches of the rules on the page as it is now."""
    return browser.script(
        AXE.read_text()
        + "return axe.run({runOnly: arguments[0]}).then(result => result.violations.map("
        "v => v.id + ': ' + v.nodes.map(node => node.html.slice(0, 200)).join(' | ')))",
        RULES,
    )


def breaches(browser, path):
    """Breaches of the rules of WCAG 2.2 AA that a machine can see, in both schemes, narrow and wide."""
    for scheme in ["light", "dark"]:
        for width in [390, 1280]:
            browser.size(width, 800)
            browser.scheme(scheme)
            browser.open(path)
            check(not (found := rules(browser)), path, scheme, width, found)


def prints(browser, path, shown, hidden):
    """On paper there is what is to be read, and nothing that is to be pressed."""
    browser.open(path)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    check(browser.one(shown).is_displayed(), path, "prints no", shown)
    for selector in hidden:
        check(browser.find(selector), path, "has no", selector)
        check(not any(element.is_displayed() for element in browser.find(selector)), path, "prints", selector)
    paper = browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    check(base64.b64decode(paper).startswith(b"%PDF"), "no paper")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def looks(browser, paths):
    """Every page: no breach of rules, nothing wider than the window, no complaint of the browser; and all of it with the keyboard alone."""
    for path in paths:
        breaches(browser, path)
        for width in [320, 3840]:
            browser.size(width, 800)
            browser.open(path)
            wide = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            check(wide <= 0, path, "is", wide, "px wider than", width)
        browser.size(1280, 900)
        browser.open(path)
        tabs(browser, path)
        check(not browser.complaints(), path, browser.complaints())
        print("looked at", path or "/", flush=True)
    # What is answered with an error, which the browser notes itself.
    for path in ["nothing", "channels/99999", "channels?q=%zz"]:
        breaches(browser, path)
        check(browser.text("h1"), path, "says nothing")
    browser.complaints()
    if "channels/1" in paths:
        prints(browser, "channels/1", "#relays", ["nav", "#live", "#acts", "#relays .acts", "footer"])
    browser.press("Sign out")
    browser.await_text("h1", "Sign in")
    breaches(browser, "login")
    breaches(browser, "channels")
    check("Sign in" in browser.text("h1"), "still signed in")


def tabs(browser, path):
    """All that can be used is reached with the key Tab, in the order of the page, and shows that it has the focus."""
    wanted = browser.script(
        "return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]"
        ".filter(e => e.checkVisibility() && !e.disabled).length"
    )
    body = browser.one("body")
    body.send_keys(Keys.HOME)
    browser.script("document.activeElement.blur()")
    seen = []
    for _ in range(wanted + 3):
        # Keys that are sent to a field for files would be the name of one.
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        state = browser.script(
            """const e = document.activeElement;
            if (!e || e === document.body) return null;
            e.dataset.visit ??= String(Math.random());
            const box = e.getBoundingClientRect(), style = getComputedStyle(e);
            return [e.dataset.visit, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
              box.top >= 0 && box.bottom <= innerHeight + 1 || box.height > innerHeight, e.outerHTML.slice(0, 120)]"""
        )
        if state is None:
            break
        if state[0] in seen:
            break
        seen.append(state[0])
        check(state[1], path, "shows no focus on", state[3])
        check(state[2], path, "does not show what has the focus:", state[3])
    check(len(seen) == wanted, path, "reached", len(seen), "of", wanted, "with Tab")


def photo(path, width, height):
    """Writes a file in which no pixel follows from another, so that it is as large as photos are."""
    png_file.write(path, width, height, os.urandom(width * height * 3))


def chooses(browser, folder):
    """An image is made small enough, shown before it is sent, and kept when the form comes back."""

    def image():
        return browser.script("return document.querySelector('[name=image]').value")

    def choose(path):
        browser.one("#image").send_keys(str(path))

    photo(large := folder / "harbour.png", 1200, 800)
    choose(large)
    browser.until(lambda: browser.one("form canvas").is_displayed(), "the image")
    check(image().startswith("data:image/jpeg;base64,") and len(image()) <= 12_500, image()[:40], len(image()))
    width, height = browser.script("const c = document.querySelector('form canvas'); return [c.width, c.height]")
    check(64 <= width <= 192 and abs(width / height - 1.5) < 0.05, width, height)
    # A file that is not an image is refused, and none is sent.
    (other := folder / "notes.png").write_text("not an image")
    choose(other)
    browser.until(lambda: "cannot read notes.png" in browser.text(".image .trouble"), "what is wrong with the file")
    check(not image() and not browser.one("form canvas").is_displayed(), image()[:40])
    # What is small stays as it is, pixel by pixel.
    photo(small := folder / "small.png", 20, 10)
    choose(small)
    browser.until(lambda: image().startswith("data:image/png;base64,"), "the small image")
    check(not browser.text(".image .trouble"), browser.text(".image .trouble"))
    browser.press("Discard image")
    check(not image() and not browser.one("form canvas").is_displayed(), image()[:40])
    choose(large)
    browser.until(image, "the image")


def creates(browser, dying, relays):
    """The three steps, against real relays, one of which dies on the way and comes back."""
    browser.open("channels")
    browser.press("New channel")
    browser.one("#name").send_keys("Harbour")
    browser.one("#about").send_keys("Ships that come and go")
    folder = Path(tempfile.mkdtemp())
    chooses(browser, folder)
    browser.one("#name").send_keys("\u200b")
    browser.press("Create channel")
    browser.until(lambda: browser.find("#trouble"), "the refusal of a name with a character that no one sees")
    browser.until(lambda: browser.one("form canvas").is_displayed(), "the image that was chosen before")
    browser.one("#name").clear()
    browser.one("#name").send_keys("Harbour")
    wish("stop the relay")
    browser.until(lambda: not answers(dying), "the relay that stops")
    for box in browser.find("input[name=relay]"):
        box.click()
    browser.press("Create channel")
    browser.await_text("h1", "Harbour")
    check("/progress" in browser.driver.current_url, browser.driver.current_url)
    browser.until(lambda: browser.count("#relays .mark.good") == relays - 1, "the relays that live")
    rows = browser.texts("#relays tbody tr")
    check(len(rows) == relays, rows)
    browser.until(lambda: "Continue with" in browser.text("#next"), "the way on")
    check(f"Continue with {relays - 1} of {relays} relays" in browser.text("#next"), browser.text("#next"))
    browser.await_text("#relays", "unreachable")
    browser.press(f"Continue with {relays - 1} of {relays} relays")
    browser.await_text("h1", "Link to Harbour")
    check("nostr:" in browser.text("main .link") and browser.find("svg.code path"), "no link")
    browser.press("Open channel")
    browser.await_text("h1", "Harbour")
    natural = "return document.querySelector('#portrait img')?.naturalWidth ?? 0"
    browser.until(lambda: 64 <= browser.script(natural) <= 192, "the image of the channel")
    browser.press("Edit channel")
    browser.one("[name=noImage]").click()
    browser.one("#image").send_keys(str(folder / "small.png"))
    browser.until(lambda: browser.one("form canvas").is_displayed(), "another image")
    check(not browser.one("[name=noImage]").is_selected(), "an image is both set and removed")
    browser.press("Save changes")
    browser.until(lambda: browser.script(natural) == 20, "the other image")
    browser.press("Edit channel")
    browser.one("[name=noImage]").click()
    browser.press("Save changes")
    browser.await_text("main", "Changes saved")
    check(not browser.find("#portrait img"), "the image is still there")
    # The relay comes back, and the page says so by itself.
    wish("start the relay")
    browser.until(lambda: answers(dying), "the relay that starts")
    # Two clicks send one form.
    sent = browser.script(
        """let sent = 0;
        const count = (event) => { if (!event.defaultPrevented) sent += 1; event.preventDefault(); };
        document.addEventListener('submit', count);
        const form = document.querySelector('#acts form');
        form.requestSubmit();
        form.requestSubmit();
        document.removeEventListener('submit', count);
        return sent;"""
    )
    check(sent == 1, "two clicks sent", sent, "forms")
    browser.press("Retry all relays that are not active")
    browser.until(lambda: browser.count("#relays .mark.good") == relays, "the relay that came back")
    browser.await_text("#state", f"Channel works with {relays} of {relays} relays")
    browser.press("Messages and posts")
    # Whoever writes for long uses their session.
    browser.script("const now = Date.now; Date.now = () => now() + 600000")
    browser.one("#text").send_keys("The ferry is late.")
    browser.until(
        lambda: browser.script("return performance.getEntriesByType('resource').some(e => new URL(e.name).pathname === '/sessions')"),
        "the use of the session",
    )
    browser.press("Publish post")
    browser.await_text("#messages", "The ferry is late.")
    browser.until(lambda: f"{relays} of {relays}" in browser.text("#messages"), "the post on all relays")
    browser.open("channels")
    browser.press("Harbour")
    browser.press("Delete channel")
    browser.one("#name").send_keys("harbour")
    browser.press("Delete channel")
    browser.await_text("main", "Nothing was deleted")
    browser.one("#name").send_keys("Harbour")
    browser.press("Delete channel")
    browser.await_text("#state", "delet")
    complaints = [line for line in browser.complaints() if "422" not in line]
    check(not complaints, complaints)


def plain(browser):
    """Without scripts: signing in has worked already; now the three steps, a post and the way out."""
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open("")
    check(not browser.driver.find_element(By.ID, "pause").is_displayed(), "scripts run")

    def press(words):
        for element in browser.find("button, a"):
            if element.is_displayed() and " ".join(element.text.split()) == words:
                return element.click()
        raise Wrong(f"there is nothing named {words!r}")

    def awaits(selector, words):
        # The page loads itself again while something is under way, so what was found may be gone.
        def holds():
            try:
                return words in browser.one(selector).text
            except (StaleElementReferenceException, Wrong):
                return False
            except WebDriverException as error:
                # The driver's other words for the same, between two documents.
                if "does not belong to the document" in str(error):
                    return False
                raise

        browser.until(holds, f"{words!r} in {selector}")

    browser.open("channels/new")
    browser.one("#name").send_keys("Quay")
    press("Create channel")
    awaits("#next", "Continue to the link")
    press("Continue to the link")
    awaits("h1", "Link to Quay")
    check(browser.find("svg.code"), "no code")
    press("Open channel")
    press("Messages and posts")
    browser.one("#text").send_keys("The crane is back.")
    press("Publish post")
    awaits("#messages", "The crane is back.")
    press("Dark")
    browser.until(lambda: browser.find("html[data-theme=dark]"), "the dark look")
    press("Sign out")
    awaits("h1", "Sign in")


def lives(browser):
    """Two tabs hear of everything over one stream, also across a restart of the daemon, and nothing moves under someone's hands."""
    first = browser.driver.current_window_handle
    browser.open("channels")
    browser.await_text("#live-words", "Live")
    browser.driver.switch_to.new_window("tab")
    second = browser.driver.current_window_handle
    browser.open("channels/1")
    browser.await_text("#live-words", "Live")
    # A name that changes shows in both; whoever has the focus in a row keeps it.
    browser.driver.switch_to.window(first)
    browser.script("document.querySelector('#channel-1 a').focus()")
    wish("rename 1 Renamed once")
    browser.await_text("#channel-1", "Renamed once")
    check(browser.script("return document.activeElement.closest('tr')?.id === 'channel-1'"), "the focus is gone")
    browser.driver.switch_to.window(second)
    browser.await_text("h1", "Renamed once")
    browser.driver.switch_to.window(first)
    # What is new is offered, and moves nothing.
    before = browser.script("return [...document.querySelectorAll('#channels tbody tr')].map(row => row.id)")
    wish("create Another")
    browser.await_text(".news", "Show 1 new row")
    check(before == browser.script("return [...document.querySelectorAll('#channels tbody tr')].map(row => row.id)"), "rows moved")
    browser.script("window.isSame = true")
    browser.press("Show 1 new row")
    browser.await_text("#channels", "Another")
    check(browser.script("return window.isSame"), "the page was loaded")
    check("Another" in browser.script("return document.activeElement.textContent"), "the focus is not on what is new")
    # The daemon goes, and both tabs say so; what changes before it tells again is not lost.
    wish("stop the daemon")
    browser.await_text("#live-words", "The daemon does not answer")
    browser.driver.switch_to.window(second)
    browser.await_text("#live-words", "The daemon does not answer")
    check(browser.script("return document.body.classList.contains('old')"), "old values are not marked")
    # It is said wherever one is on the page, with its age.
    check(browser.script("return getComputedStyle(document.getElementById('live')).position") == "fixed", "the sign scrolls away")
    browser.await_text("#live-words", " ago")
    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        check(not (found := rules(browser)), "old values", scheme, found)
    # What changes before the console has found the daemon again is not lost, in neither tab, and no one loads a page.
    browser.script("window.isSame = true")
    wish("start the daemon and rename 1 Renamed twice")
    browser.await_text("#live-words", "Live")
    browser.await_text("h1", "Renamed twice")
    check(browser.script("return window.isSame"), "the page was loaded")
    browser.driver.switch_to.window(first)
    browser.await_text("#live-words", "Live")
    browser.await_text("#channel-1", "Renamed twice")
    # The tab with the stream is closed; the other one takes it over.
    browser.driver.close()
    browser.driver.switch_to.window(second)
    wish("rename 1 Renamed thrice")
    browser.await_text("h1", "Renamed thrice")
    check(browser.script("return window.isSame"), "the page was loaded")
    browser.open("channels")
    browser.await_text("#live-words", "Live")
    browser.await_text("#channel-1", "Renamed thrice")
    # What is put in above moves nothing that someone reads.
    browser.size(1000, 300)
    browser.open("channels/1")
    browser.await_text("#live-words", "Live")
    browser.script("document.querySelector('#happenings tr:nth-last-child(2)').scrollIntoView()")
    row = browser.script(
        "return [...document.querySelectorAll('#happenings tr[id]')].find(row => row.getBoundingClientRect().top >= 0).id"
    )
    place = f"return document.getElementById('{row}').getBoundingClientRect().top"
    before, rows = browser.script(place), browser.count("#happenings tr")
    wish("rename 1 Renamed thrice and once")
    browser.until(lambda: browser.count("#happenings tr") > rows, "new lines of the history")
    check(abs(browser.script(place) - before) < 3, "the page moved from", before, "to", browser.script(place))
    browser.size(1280, 900)
    # What someone has selected waits, and the page says so until it is there.
    browser.script("getSelection().selectAllChildren(document.querySelector('h1'))")
    wish("rename 1 Renamed in between")
    browser.await_text("#live-words", "Live, except the part that you use")
    check("Renamed thrice and once" in browser.text("h1"), browser.text("h1"))
    browser.script("getSelection().removeAllRanges()")
    browser.await_text("h1", "Renamed in between")
    browser.until(lambda: browser.text("#live-words") == "Live", "the end of waiting")
    # A page that answers a form has no address to look at again.
    browser.open("relays/1")
    browser.complaints()
    browser.press("Test relay")
    browser.await_text("main", "The test")
    browser.await_text("#live-words", "Live")
    found = browser.complaints()
    check(not found, found)
    # A session that is about to end says so, and can be kept.
    browser.open("channels")
    browser.driver.execute_async_script(
        """const done = arguments[0], script = document.querySelector('script[type=module]').src;
        import(script.replace('console.js', 'session.js')).then((module) => {
            module.keepSession(document.body.dataset.root, 200, { announce() {} });
            done();
        });"""
    )
    browser.await_text("#ending", "You will be signed out in 3 min")
    browser.press("Stay signed in")
    browser.until(lambda: browser.script("return document.getElementById('ending').hidden"), "the session to go on")
    browser.await_text("#live-words", "Live")
    # Paused, nothing changes; going on shows it.
    browser.press("Pause")
    browser.await_text("#live-words", "Paused")
    wish("rename 1 Renamed again")
    browser.until(
        lambda: browser.script("return fetch('channels/1').then(answer => answer.text()).then(text => text.includes('Renamed again'))"),
        "the name",
    )
    check("Renamed in between" in browser.text("#channel-1"), browser.text("#channel-1"))
    browser.press("Resume")
    browser.await_text("#channel-1", "Renamed again")
    # The tab with the stream says nothing for a minute, as one does that the browser has stopped; the other one takes the stream over.
    browser.open("channels/1")
    browser.await_text("#live-words", "Live")
    stopped = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open("channels/1")
    browser.await_text("#live-words", "Live")
    going = browser.driver.current_window_handle
    browser.driver.switch_to.window(stopped)
    browser.script("setTimeout(() => { const end = Date.now() + 70000; while (Date.now() < end); }, 100)")
    browser.driver.switch_to.window(going)
    browser.await_text("#live-words", "Connection lost")
    browser.await_text("#live-words", "Live")
    wish("rename 1 Renamed at last")
    browser.await_text("h1", "Renamed at last")
    browser.driver.switch_to.window(stopped)
    browser.await_text("#live-words", "Live")
    browser.await_text("h1", "Renamed at last")
    # Ten tabs: a browser has six connections to a server, and one of them is the stream.
    for _ in range(9):
        browser.driver.switch_to.new_window("tab")
        browser.open("relays")
        browser.await_text("#live-words", "Live")


def shields(browser, foreign, channel):
    """Other sites get no cookie and change nothing; and texts of others run nowhere."""
    cookies = browser.driver.get_cookies()
    own = [cookie for cookie in cookies if cookie["name"].startswith("__Host-baton-")]
    check(len(own) == 1 and own[0]["httpOnly"] and own[0]["secure"] and own[0]["sameSite"] == "Strict", cookies)
    check(browser.script("return document.cookie") == "", "a script can read cookies")
    def harmless(page):
        check(browser.script("return window.hacked === undefined"), "a text ran at", page)
        check(not browser.find("main script, main img, main iframe, main [onerror], main b"), "markup of others at", page)
        return "window.hacked" in browser.script("return document.body.textContent + [...document.querySelectorAll('input')].map(i => i.value)")

    pages = 0
    for page in browser.script("return [...document.querySelectorAll('nav a')].map(link => link.href)") + [
        browser.base + path
        for path in ["channels/1/messages", "relays/1", "relays/2", "relays/3", "health", "channels/new"]
        + [f"channels/{channel}{rest}" for rest in ["", "/messages", "/link", "/edit", "/delete", "/progress"]]
    ]:
        browser.driver.get(page)
        pages += harmless(page)
        check(not browser.complaints(), page, browser.complaints())
    check(pages > 12, "only", pages, "pages show what is hostile")
    # What an address says, which pages repeat; some of them are refused.
    hack = quote("\"><img src=x onerror=window.hacked=1>\u0600<b\u0600>")
    for path in ["channels?q=", "channels?phase=", "channels?relay=", "relays?q=", "history?relay=", "history?cause=", "health?to="]:
        browser.open(path + hack)
        harmless(path)
    browser.open("channels?q=" + hack)
    check(harmless("a search"), "the search does not repeat what was asked for")
    # A form that is refused, with what was typed.
    browser.open("channels/new")
    browser.one("#name").send_keys("<img src=x onerror=window.hacked=1>\u200b")
    browser.one("input[name=relay]").click()
    browser.press("Create channel")
    browser.until(lambda: browser.find("#trouble"), "the refusal")
    check(harmless("a form"), "the form does not show what was typed")
    # A test, whose steps say what the relay says.
    browser.open("relays/2")
    browser.complaints()
    browser.press("Test relay")
    browser.await_text("main", "The test")
    harmless("a test")
    browser.await_text("#live-words", "Live")
    found = browser.complaints()
    check(not found, "a test", found)
    # Whoever takes the name of someone else has a key of their own.
    browser.open("channels/1/messages")
    check(browser.count(".messages li:not(.own)") == browser.count(".messages li:not(.own) .key") > 0, "a name stands alone")
    # A page of another port, and one of another name for this machine, send the form that deletes.
    port = browser.base.rsplit(":", 1)[1].strip("/")
    for host in ["baton.localhost", "evil.test"]:
        browser.driver.get(f"http://{host}:{foreign}/")
        check(not browser.driver.get_cookies(), "the cookie goes to", host, browser.driver.get_cookies())
        browser.script(
            """const form = document.createElement('form');
            form.method = 'post';
            form.action = arguments[0];
            const name = document.createElement('input');
            name.name = 'name';
            name.value = arguments[1];
            form.append(name);
            document.body.append(form);
            form.submit();""",
            browser.base + f"channels/{channel}/delete",
            "x",
        )
        browser.await_text("h1", "Nothing was changed" if host == "baton.localhost" else "")
        check("Nothing was changed" in browser.text("h1") or "Sign in" in browser.text("h1"), host, browser.text("h1"))
    # The name of another site that now means this machine.
    browser.driver.get(f"http://evil.test:{port}/channels")
    browser.await_text("h1", "Unknown host")
    # No one shows the console in a frame.
    browser.driver.get(f"http://baton.localhost:{foreign}/")
    browser.script("const f = document.createElement('iframe'); f.src = arguments[0]; document.body.append(f);", browser.base)
    browser.until(lambda: [line for line in browser.complaints() if "frame" in line.lower()], "the frame that is refused")


def pictures(browser, folder, paths):
    """A picture of each page, in the light and the dark scheme."""
    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        for name, path in (pair.split("=", 1) for pair in paths):
            # From below, because a page is never shorter than the window.
            browser.size(1100, 400)
            browser.open(path)
            browser.await_text("#live-words", "Live")
            height = min(1600, browser.script("return document.documentElement.scrollHeight"))
            browser.size(1100, height + 20)
            browser.driver.save_screenshot(f"{folder}/{name}-{scheme}.png")
            browser.size(1280, 900)


def main():
    scenario, address, *arguments = sys.argv[1:]
    browser = Browser(address)
    try:
        browser.sign_in(address)
        if scenario == "looks":
            looks(browser, [path.lstrip("/") for path in arguments])
        elif scenario == "creates":
            creates(browser, int(arguments[0]), int(arguments[1]))
        elif scenario == "plain":
            plain(browser)
        elif scenario == "lives":
            lives(browser)
        elif scenario == "shields":
            shields(browser, *arguments)
        elif scenario == "pictures":
            pictures(browser, arguments[0], arguments[1:])
        wish("done")
    except Wrong as wrong:
        print(f"wrong: {wrong}", flush=True)
        print("on the page:", browser.text("main")[:2000], browser.complaints(), flush=True)
        wish("wrong")
        sys.exit(1)
    except WebDriverException as failure:
        # Its message has the stack of the browser below it.
        print(f"wrong: {type(failure).__name__}: {failure.msg.splitlines()[0]}", flush=True)
        traceback.print_tb(failure.__traceback__)
        wish("wrong")
        sys.exit(1)
    finally:
        browser.driver.quit()


main()
