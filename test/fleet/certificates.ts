import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificate {
  readonly authority: string
  readonly key: string
  readonly certificate: string
}

/** An authority of its own in a folder, and a certificate of it for a server at an address. */
export const certify = (folder: string, address: string): Certificate => {
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const fresh = ['-newkey', 'rsa:2048', '-nodes']
  openssl(...['req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=authority'])
  openssl('req', ...fresh, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${address}`)
  writeFileSync(join(folder, 'names'), `subjectAltName=IP:${address}`)
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-out', 'server.crt', '-extfile', 'names', '-days', '2'],
  )
  chmodSync(join(folder, 'server.key'), 0o600)
  return {
    authority: join(folder, 'ca.crt'),
    key: join(folder, 'server.key'),
    certificate: join(folder, 'server.crt'),
  }
}
