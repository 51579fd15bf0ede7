import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aiswarm, answer } from '../stories/program.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { freePort, postgresPrograms } from '../support/postgres.ts'
import { initialised } from '../support/template.ts'

// The commands of docs/fleet.md, as they are printed: to the server next door, and back.

const port = await freePort()
const cluster = ownCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port: String(port) } })

const page = readFileSync(resolve(import.meta.dirname, '../../docs/fleet.md'), 'utf8')
const [, section = ''] = /^## The server next door\n([^]*?)^## /m.exec(page) ?? []
const commands = [...section.matchAll(/^```\w+\n([^]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split('\n'))

/** Programs that replace the administrator of this machine: PostgreSQL is installed, and the cluster's owner is `postgres`. */
const withPrograms = (folder: string): string => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  program('sudo', '[ "$1" = -u ] && { shift 2; exec env PGUSER=owner "$@"; }; exec "$@"')
  program('apt-get', '[ "$*" = "install postgresql" ]')
  program('aiswarm', `exec '${process.execPath}' '${resolve(import.meta.dirname, '../../dist/main.js')}' "$@"`)
  return [bin, postgresPrograms()!, process.env['PATH']].join(delimiter)
}

/** The server asks for passwords where it is reached by its address, as that of Debian does. */
const askForPasswords = (): void => {
  const rules = join(cluster.folder, 'data/pg_hba.conf')
  writeFileSync(rules, `host all all 127.0.0.1/32 scram-sha-256\nlocal all all trust\n`)
  cluster.stop()
  cluster.start()
}

test('the commands in docs/fleet.md move a board to the server next door, and back', async () => {
  expect(commands).toHaveLength(7)
  askForPasswords()
  const home = temporaryFolder()
  const root = join(home, 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  const environment = { PATH: withPrograms(home), HOME: home, PGHOST: cluster.folder, PGPORT: String(port) }
  const [line] = /localhost:5432:aiswarm:anna:PASSWORD/.exec(section)!
  writeFileSync(join(home, '.pgpass'), `${line.replace('5432', String(port)).replace('PASSWORD', 'secret')}\n`, {
    mode: 0o600,
  })
  const said: Record<string, string> = {}
  for (const command of commands) {
    // The port of this machine's own server, which may be in use.
    const here = command.replace('@localhost/', `@localhost:${port}/`)
    // Without a terminal the password is read from the input.
    const child = spawn('setsid', ['--wait', 'sh', '-c', here], { cwd: root, env: environment })
    // Not each of them reads it.
    child.stdin.on('error', () => {}).end('secret\nsecret\n')
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => (output += piece))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, `${command}: ${output}`).toBe(0)
    // A library that reads the password file must not speak to the person.
    expect(output).not.toContain('Warning')
    said[command] = output
    if (command.includes('--to')) expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(true)
  }
  expect(said['aiswarm status']).toMatch(/^Board.*postgresql:.*localhost.*\/aiswarm/m)
  expect(said['aiswarm db check']).toContain('The database is intact.')
  expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(false)
  expect(await answer(root, 'task', 'list')).toMatchObject([{ title: 'Bake' }])
  expect((await aiswarm(root, 'status')).out).not.toContain('postgresql:')
})
