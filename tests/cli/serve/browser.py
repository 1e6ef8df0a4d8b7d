"""A browser for tests: Chromium by the WebDriver protocol, with Python's standard library alone."""

import base64
import contextlib
import http.client
import json
import shutil
import subprocess
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TOOLS = [shutil.which("chromedriver"), shutil.which("chromium")]


class Browser:

    def __init__(self):
        self.driver = subprocess.Popen([TOOLS[0], "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rstrip(".\n").split()[-1])
                break
        options = {"binary": TOOLS[1], "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                                                "--disable-dev-shm-usage", "--hide-scrollbars"]}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                  "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = ""
        self.session = "/" + self.call("POST", "session", {"capabilities": wanted})["sessionId"]

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            path = f"/session{self.session}/{path}" if self.session else f"/{path}"
            connection.request(method, path.rstrip("/"), json.dumps(body) if body is not None else None)
            value = json.loads(connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{value['error']}: {value['message'][:300]}")
        return value

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.communicate(timeout=10)

    def open(self, address):
        self.call("POST", "url", {"url": address})

    def run(self, script, *arguments):
        """What the body of a function returns in the page."""
        return self.call("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """The first true value of the script, which is run again and again."""
        end = time.monotonic() + 10
        while True:
            found = self.run(script, *arguments)
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"never true: {script}\n{self.run('return document.body.innerText')[:1500]}")
            time.sleep(0.03)

    def find(self, selector):
        return self.call("POST", "element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.run("document.querySelector(arguments[0])?.scrollIntoView({block: 'nearest'})", selector)
        for _ in range(20):  # the page may draw the element anew before the click
            try:
                return self.call("POST", f"element/{self.find(selector)}/click", {})
            except RuntimeError as error:
                if "stale element" not in str(error):
                    raise
        raise AssertionError(f"never stood still: {selector}")

    def keys(self, text):
        """Keys of the keyboard, wherever the focus is; Tab is \\ue004."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, selector, x, y):
        element = {ELEMENT: self.find(selector)}
        moves = [{"type": "pointerMove", "duration": 0, "origin": element, "x": 0, "y": 0},
                 {"type": "pointerDown", "button": 0},
                 {"type": "pointerMove", "duration": 50, "origin": "pointer", "x": x, "y": y},
                 {"type": "pointerUp", "button": 0}]
        self.call("POST", "actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def devtools(self, command, **parameters):
        return self.call("POST", "goog/cdp/execute", {"cmd": command, "params": parameters})

    def look_as(self, width, height, scheme):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self):
        return base64.b64decode(self.call("GET", "screenshot"))

    def complaints(self):
        """Errors and refusals of the console since the last call."""
        return [entry["message"] for entry in self.call("POST", "se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]
