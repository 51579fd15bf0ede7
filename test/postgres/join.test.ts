import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository, sh } from '../effects/swarm.ts'
import { ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { hostAt, hosts, twoHosts } from '../support/hosts.ts'

const cluster = ownCluster()

test('a code to join is refused in another repository, or when another host has used it, and the clone is as it was', async () => {
  const { first } = await twoHosts(cluster)
  const { code } = first.run<{ code: string }>(['fleet', 'join-code'])
  const stranger = hostAt(repository({ 'README.md': 'another shop\n' }))
  expect(() => stranger.run(['fleet', 'join'], `${code}\n`)).toThrow('of another repository than the board')
  sh(first.root, 'git commit --quiet --allow-empty --message Second')
  const shallow = hostAt(join(temporaryFolder(), 'shallow'))
  sh(first.root, `git clone --quiet --depth 1 "file://$PWD" "${shallow.root}"`)
  expect(() => shallow.run(['fleet', 'join'], `${code}\n`)).toThrow('This clone is shallow')
  const clones = ['one', 'two'].map((name) => {
    const root = join(temporaryFolder(), name)
    sh(first.root, `git clone --quiet . "${root}"`)
    return hostAt(root)
  })
  const joined = clones[0]!.run<{ kinds: string[]; clockAhead: number }>(['fleet', 'join'], `${code}\n`)
  expect(joined.kinds).toContain('command')
  // The server is on this machine.
  expect(Math.abs(joined.clockAhead)).toBeLessThan(30_000)
  expect(joined).toMatchObject({ socketProblem: null, agentsAs: userInfo().username })
  expect(() => clones[1]!.run(['fleet', 'join'], `${code}\n`)).toThrow('Another host has used this code')
  const { code: unused } = first.run<{ code: string }>(['fleet', 'join-code'])
  expect(() => clones[0]!.run(['fleet', 'join'], `${unused}\n`)).toThrow('This clone is a host of a board already')
  for (const { root } of [stranger, clones[1]!]) expect(existsSync(join(root, '.aiswarm', 'store.yaml'))).toBe(false)
  expect(hosts(first)).toHaveLength(3)
})

test('a clone in which a command made an empty board after a failed join can join, and one with a task on its board keeps it', async () => {
  const { first } = await twoHosts(cluster)
  const { code } = first.run<{ code: string }>(['fleet', 'join-code'])
  const clone = (name: string) => {
    const host = hostAt(join(temporaryFolder(), name))
    sh(first.root, `git clone --quiet . "${host.root}"`)
    return { ...host, file: join(host.root, '.aiswarm', 'coordination.db') }
  }
  const [typed, busy] = [clone('typed'), clone('busy')]
  expect(() => typed.run(['fleet', 'join'], 'aiswarm-join:1:wrong\n')).toThrow('This is no code')
  typed.run(['status'])
  expect(existsSync(typed.file)).toBe(true)
  busy.run(['task', 'add', 'Glaze', '--persona', 'implementer'])
  const away = `mv ${busy.file} ${busy.file}.former`
  expect(() => busy.run(['fleet', 'join'], `${code}\n`)).toThrow(
    `with something on it. Use another clone, or end what uses that file and move it away: ${away}`,
  )
  expect(busy.run<readonly unknown[]>(['task', 'list'])).toHaveLength(1)
  // A refused code leaves the file as the board.
  const bad = `${code.slice(0, 'aiswarm-join:1:'.length)}${Buffer.from(JSON.stringify({ ...(JSON.parse(Buffer.from(code.slice('aiswarm-join:1:'.length), 'base64url').toString()) as object), secret: 'other' })).toString('base64url')}`
  expect(() => typed.run(['fleet', 'join'], `${bad}\n`)).toThrow('does not know this code')
  expect(existsSync(`${typed.file}.moved`)).toBe(false)
  expect(typed.run<readonly unknown[]>(['task', 'list'])).toEqual([])
  const joined = typed.run<{ name: string; state: string }>(['fleet', 'join'], `${code}\n`)
  expect(joined.state).toBe('up')
  expect(readFileSync(`${typed.file}.moved`, 'utf8')).toContain('postgres')
  expect(hosts(typed)).toHaveLength(3)
  // Forgotten, it joins again beside the file that it has left.
  first.run(['host', 'forget', joined.name, '--yes'])
  const { code: again } = first.run<{ code: string }>(['fleet', 'join-code'])
  expect(typed.run<{ state: string }>(['fleet', 'join'], `${again}\n`).state).toBe('up')
  sh(busy.root, away)
  const { code: last } = first.run<{ code: string }>(['fleet', 'join-code'])
  expect(busy.run<{ state: string }>(['fleet', 'join'], `${last}\n`).state).toBe('up')
})

test('fleet restored ends no agent of a healthy board, unless a person insists', async () => {
  const { first, second } = await twoHosts(cluster)
  for (const host of [first, second])
    expect(() => host.run(['fleet', 'restored', '--yes'])).toThrow('Nothing looks restored: this clone remembers no')
  expect(first.run<{ hosts: string[] }>(['fleet', 'restored', '--yes', '--anyway']).hosts).toHaveLength(2)
})
