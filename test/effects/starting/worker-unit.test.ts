import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workerUnit } from '../../../src/effects/starting/worker-unit.ts'
import { temporaryFolder } from '../../support/core.ts'

const analyses = spawnSync('systemd-analyze', ['--version']).status === 0

/** The complaints of systemd about a unit; it looks for the program too. */
const verify = (name: string, text: string): string => {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, text)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  return status === 0 ? '' : stderr
}

describe('the unit of a worker', () => {
  it('runs in the clone, as its owner, with the program that made it', () => {
    const root = join(temporaryFolder(), 'my shop 100%')
    mkdirSync(root)
    const { name, text, commands } = workerUnit(root, ['/usr/bin/node', '/opt/ai swarm/main.js'])
    expect(name).toBe('aiswarm-worker-my-shop-100-.service')
    expect(text).toContain(`WorkingDirectory=${root.replace('%', '%%')}\n`)
    expect(text).toContain('ExecStart="/usr/bin/node" "/opt/ai swarm/main.js" "worker"\n')
    expect(text).toContain('KillMode=process\n')
    expect(commands.at(1)!.slice(-3)).toEqual(['enable', '--now', name])
  })

  it('finds the programs of agents where the shell of the person finds them', () => {
    const folder = join(temporaryFolder(), 'my $tools 100%')
    mkdirSync(folder)
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho found\n', { mode: 0o755 })
    const { text } = workerUnit(temporaryFolder(), ['/usr/bin/node'], `${folder}:node_modules/.bin::/bin:/bin`)
    const line = /^Environment="PATH=(.*)"$/m.exec(text)![1]!
    expect(line).toBe(`${folder.replace('%', '%%')}:/bin`)
    // As systemd reads it.
    const PATH = line.replaceAll('%%', '%')
    expect(spawnSync('claude', { env: { PATH }, encoding: 'utf8' }).stdout).toBe('found\n')
  })

  it('is one that systemd accepts, as is the example', () => {
    // Only systemd itself can say so.
    if (!analyses) return
    const root = join(temporaryFolder(), 'my shop')
    mkdirSync(root)
    expect(verify('aiswarm-worker-shop.service', workerUnit(root, [process.execPath, '/main.js']).text)).toBe('')
    const example = resolve(import.meta.dirname, '../../../examples/aiswarm-worker.service')
    const text = readFileSync(example, 'utf8')
    expect(verify('aiswarm-worker@shop.service', text)).toBe('')
    expect(verify('broken.service', text.replace('ExecStart=/usr', 'ExecStart=usr'))).toContain('broken.service')
  })
})
