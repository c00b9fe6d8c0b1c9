"""A way to a server whose connections can die without a word, as they do while Lambda has frozen an environment."""

import selectors
import socket
import threading


class Way:
    """Passes connections on. Those that `lose` finds stay open, and nothing passes through them any more."""

    def __init__(self, host: str, port: int) -> None:
        self.target = (host, port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lost = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self) -> None:
        """Loses all connections. Later ones work."""
        self.lost.set()
        self.lost = threading.Event()

    def _accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self._pass, args=(client, self.lost), daemon=True).start()

    def _pass(self, client: socket.socket, lost: threading.Event) -> None:
        with socket.create_connection(self.target) as server, selectors.DefaultSelector() as ready:
            other = {client: server, server: client}
            for end in other:
                ready.register(end, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(timeout=0.2):
                    if lost.is_set():
                        break
                    data = key.fileobj.recv(1 << 16)
                    if not data:
                        client.close()
                        return
                    other[key.fileobj].sendall(data)
                if lost.is_set():
                    # Neither end hears of it.
                    threading.Event().wait()
