import { createServer as createHttp, type Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A service on loopback and one in the abstract namespace, which answer with a secret. */
export const services = async () => {
  const http: Server = createHttp((_, response) => response.end('secret of the host'))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const abstract = createServer((socket) => {
    socket.on('error', () => {})
    socket.end('secret of the host')
  })
  const name = `aiswarm-test-${process.pid}`
  await new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve))
  onTestFinished(() => {
    http.close()
    abstract.close()
  })
  return { port: (http.address() as AddressInfo).port, name }
}

/** Programs that end with 0 only if they reach what they aim at. */
export const networkAttacks = (port: number, name: string): readonly string[] => [
  tcp('127.0.0.1', port),
  tcp('localhost', port),
  tcp('169.254.169.254', 80),
  tcp('1.1.1.1', 53),
  tcp('::1', port),
  `node -e 'require("net").connect({path: "\\0${name}"}, () => process.exit(0)).on("error", (e) => { console.log(e.message); process.exit(1) })'`,
  `node -e 'require("dns").lookup("example.com", (e) => { console.log(e?.message); process.exit(e ? 1 : 0) })'`,
  `node -e 'const s = require("dgram").createSocket("udp4"); s.send("x", 53, "1.1.1.1", (e) => { console.log(e?.message); process.exit(e ? 1 : 0) })'`,
  asked('169.254.169.254:80'),
  asked('evil.example:443'),
  asked('[::1]:80'),
  asked(`127.0.0.1:${port}`),
  asked('localhost:80'),
  asked('listed.example:22'),
  `node -e 'fetch("http://169.254.169.254/latest/meta-data").then(async (r) => { console.log((await r.text()).trim()); process.exit(r.ok ? 0 : 1) }, (e) => { console.log(e.cause?.code, e.cause?.message, e.cause?.cause?.message); process.exit(1) })'`,
]

const tcp = (host: string, port: number): string =>
  `node -e 'require("net").connect({host: "${host}", port: ${port}, timeout: 3000}, () => process.exit(0)).on("timeout", () => process.exit(2)).on("error", (e) => { console.log(e.message || e.errors?.[0]?.message); process.exit(1) })'`

/** Asks the proxy inside for a tunnel. */
export const asked = (endpoint: string): string =>
  `node -e 'if (!process.env.HTTP_PROXY) { console.log("no proxy"); process.exit(1) } const s = require("net").connect(new URL(process.env.HTTP_PROXY).port, "127.0.0.1", () => s.write("CONNECT ${endpoint} HTTP/1.1\\r\\n\\r\\n")); s.on("data", (d) => { console.log(String(d).trim().split("\\n").at(-1)); process.exit(String(d).startsWith("HTTP/1.1 200") ? 0 : 1) })'`
