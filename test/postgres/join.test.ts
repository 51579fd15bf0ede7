import { existsSync } from 'node:fs'
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
