import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sh } from '../effects/swarm.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hostAt, schemaOf, twoHosts } from '../support/hosts.ts'

// A server whose board is away, as in the middle of a restore, or another server at its address.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')

const made = (schema: string): Promise<readonly unknown[]> =>
  runSql(cluster, `SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)

const said = ({ root, environment, home }: Host, ...words: readonly string[]): string =>
  spawnSync(process.execPath, [main, ...words], { cwd: root, env: { ...environment, HOME: home }, encoding: 'utf8' })
    .stdout

test('a clone that has used the board, one that joins and a restore make no empty board where the board is away, and work when it is back', async () => {
  const { first, second } = await twoHosts(cluster)
  first.run(['task', 'add', 'Glaze', '--persona', 'implementer'])
  const { code } = first.run<{ code: string }>(['fleet', 'join-code'])
  const third = hostAt(join(temporaryFolder(), 'third'))
  sh(first.root, `git clone --quiet . "${third.root}"`)
  const laptop = hostAt(join(temporaryFolder(), 'laptop'))
  sh(first.root, `git clone --quiet . "${laptop.root}"`)
  mkdirSync(join(laptop.root, '.aiswarm'))
  copyFileSync(join(first.root, '.aiswarm', 'store.yaml'), join(laptop.root, '.aiswarm', 'store.yaml'))
  expect(laptop.run<readonly unknown[]>(['task', 'list'])).toHaveLength(1)
  const schema = schemaOf(first)
  const board = cluster.url().replace('?', `?schema=${schema}&`)
  await runSql(cluster, `ALTER SCHEMA ${schema} RENAME TO kept`)

  for (const words of [['status'], ['task', 'add', 'x', '--persona', 'implementer'], ['fleet', 'restored', '--yes']])
    for (const host of [first, second, laptop])
      expect(() => host.run(words)).toThrow('has no board: it is being restored')
  expect(() => first.run(['db', 'copy', '--from', board])).toThrow('has no board: it is being restored')
  expect(() => third.run(['fleet', 'join'], `${code}\n`)).toThrow('has no board: it is being restored')
  expect(said(first, 'doctor')).toMatch(/has no board: it is being restored, or the address names another server/)
  expect(await made(schema)).toEqual([])
  expect(existsSync(join(first.root, '.aiswarm', 'store.yaml'))).toBe(true)
  expect(existsSync(join(third.root, '.aiswarm', 'store.yaml'))).toBe(false)

  await runSql(cluster, `ALTER SCHEMA kept RENAME TO ${schema}`)
  expect(third.run<{ state: string }>(['fleet', 'join'], `${code}\n`).state).toBe('up')
  for (const host of [first, second, laptop]) expect(host.run<readonly unknown[]>(['task', 'list'])).toHaveLength(1)
})
