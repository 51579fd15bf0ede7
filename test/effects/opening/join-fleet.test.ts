import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { whyNoSocket } from '../../../src/effects/doorway/worker.ts'
import { authorityOf, joinFleet, joinLine, refuseOtherAuthority } from '../../../src/effects/opening/join-fleet.ts'
import { writeStoreFile } from '../../../src/effects/starting/store-address.ts'
import { temporaryFolder } from '../../support/core.ts'
import { git, repository } from '../swarm.ts'

const certificate = (file: string): string => {
  const key = `${file}.key`
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=ours`, '-keyout', key, '-out', file],
    ],
    { stdio: 'ignore' },
  )
  return file
}

it("a code names the certificate of the server's own authority, and another one or none is refused before a connection", () => {
  const folder = temporaryFolder()
  const file = certificate(join(folder, 'ca.crt'))
  const url = (at: string): string => `postgresql://anna@db.example.net/shop?sslrootcert=${at}`
  const expected = authorityOf(url(file))
  expect(expected).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  expect(authorityOf('postgresql://anna@db.example.net/shop')).toBeUndefined()
  copyFileSync(file, join(folder, 'copy.crt'))
  refuseOtherAuthority(url(join(folder, 'copy.crt')), expected)
  const other = certificate(join(folder, 'other.crt'))
  expect(() => refuseOtherAuthority(url(other), expected)).toThrow(
    `${other} is another certificate than that of the board's authority, whose SHA-256 is ${expected}`,
  )
  const missing = join(folder, 'missing.crt')
  expect(() => refuseOtherAuthority(url(missing), expected)).toThrow(`is expected in ${missing}. Copy that file`)
  // A board whose server needs none.
  refuseOtherAuthority('postgresql://anna@localhost/shop', undefined)
})

it('a host joins only with the certificate of the authority that the code names', async () => {
  const first = repository()
  const file = certificate(join(temporaryFolder(), 'ca.crt'))
  mkdirSync(join(first, '.aiswarm'))
  await writeStoreFile(first, { url: `postgresql://anna@db.example.net/shop?sslrootcert=${file}`, schema: 'shop' })
  const line = await joinLine(first, 'secret')
  const root = join(temporaryFolder(), 'shop')
  git(first, 'clone', '--quiet', '.', root)
  const opens = () => Promise.reject(new Error('it connects'))
  const joining = () => joinFleet(root, { line, open: opens, openFile: opens })
  await expect(joining()).rejects.toThrow('it connects')
  certificate(file)
  await expect(joining()).rejects.toThrow(`${file} is another certificate than that of the board's authority`)
  expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(false)
})

it('a worker can serve agents in a folder, and not below a file', async () => {
  const root = temporaryFolder()
  expect(await whyNoSocket(root)).toBeUndefined()
  expect(await whyNoSocket(certificate(join(root, 'file')))).toMatch(/ENOTDIR|EEXIST/)
})
