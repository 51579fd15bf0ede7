import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

  it('lets agents finish when the machine goes down, and only then', () => {
    const folder = join(temporaryFolder(), 'my tools')
    mkdirSync(folder)
    const did = join(folder, 'did')
    const program = join(folder, 'aiswarm')
    writeFileSync(program, `#!/bin/sh\necho "$@" > "${did}"\n`, { mode: 0o755 })
    const { text } = workerUnit(temporaryFolder(), [program])
    const stop = /^ExecStop=(.*)$/m.exec(text)![1]!
    const wait = Number(/"--wait" "(\d+)s"$/.exec(stop)![1])
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(text)![1])).toBeGreaterThan(wait)
    // The command as systemd passes it on, on a machine in this state.
    const stopped = (state: string): string | undefined => {
      rmSync(did, { force: true })
      writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho ${state}\n`, { mode: 0o755 })
      spawnSync('/bin/sh', ['-c', stop.replaceAll('$$', '$')], { env: { PATH: `${folder}:/usr/bin:/bin` } })
      return existsSync(did) ? readFileSync(did, 'utf8').trim() : undefined
    }
    expect(stopped('running')).toBe(undefined)
    expect(stopped('stopping')).toBe(`host drain --until-start --wait ${wait}s`)
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
