"""A browser driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2/) by chromedriver."""
import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
DRIVERS = ["chromedriver", "chromium.chromedriver"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "Shift": "\ue008", "Control": "\ue009", "Home": "\ue011", "End": "\ue010"}


def missing():
    """The name of the missing program, or ""."""
    for names in (BROWSERS, DRIVERS):
        if not any(map(shutil.which, names)):
            return f"none of {', '.join(names)} is installed"
    return ""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """A headless browser with one window."""

    def __init__(self, width=1280, height=900, dark=False):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        driver = next(filter(None, map(shutil.which, DRIVERS)))
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = {"binary": next(filter(None, map(shutil.which, BROWSERS))),
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}",
                            f"--user-data-dir={self.folder.name}", *(["--force-dark-mode"] if dark else [])]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.wait_for_driver()
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"
        self.resize(width, height)

    def wait_for_driver(self):
        for _ in range(300):
            try:
                return self.call("GET", "/status")
            except OSError:
                time.sleep(.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def quit(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            self.folder.cleanup()

    def open(self, url):
        self.call("POST", f"{self.session}/url", {"url": "about:blank"})  # otherwise a change of the #hash alone loads nothing
        self.call("POST", f"{self.session}/url", {"url": url})

    def resize(self, width, height):
        """Sets the size of the page; a window cannot become as narrow as a phone."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def cdp(self, command, **params):
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": params})

    def prefer(self, **features):
        """Sets media features: prefer(prefers_color_scheme="dark")."""
        media = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.cdp("Emulation.setEmulatedMedia", features=media)

    def run(self, script, *args):
        """The value of a JavaScript expression; args[0], args[1], … are the arguments."""
        return self.call("POST", f"{self.session}/execute/sync",
                         {"script": f"const args = arguments; return ({script});", "args": list(args)})

    def wait(self, script, *args, seconds=20):
        """Waits until the expression is true and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script, *args)
            if value:
                return value
            time.sleep(.05)
        raise AssertionError(f"not true after {seconds} s: {script} {args or ''}")

    def element(self, selector):
        return self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"{self.session}/element/{self.element(selector)}/click")

    def type(self, selector, text):
        self.call("POST", f"{self.session}/element/{self.element(selector)}/value", {"text": text})

    def keys(self, *names, hold=()):
        """Presses keys, given by name or character, one after another while the keys in `hold` are down."""
        actions = [{"type": "keyDown", "value": KEYS[name]} for name in hold]
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        actions += [{"type": "keyUp", "value": KEYS[name]} for name in hold]
        self.act({"type": "key", "id": "keys", "actions": actions})

    def act(self, *sources):
        self.call("POST", f"{self.session}/actions", {"actions": list(sources)})

    def mouse(self, *moves):
        """Moves the mouse over elements, given by selector; "down" and "up" press and release the button."""
        actions = []
        for move in moves:
            if move in ("down", "up"):
                actions.append({"type": f"pointer{move.title()}", "button": 0})
            else:
                self.run("document.querySelector(args[0]).scrollIntoView({block: 'center', inline: 'center'})", move)
                actions.append({"type": "pointerMove", "duration": 30, "x": 0, "y": 0,
                                "origin": {ELEMENT: self.element(move)}})
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions})

    def console(self):
        """Console messages since the last call, warnings and above."""
        log = self.call("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path, whole=True):
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                        **({"clip": self.page_box()} if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def page_box(self):
        size = self.run("[innerWidth, document.documentElement.scrollHeight]")
        return {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
