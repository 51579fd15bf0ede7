import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../effects/swarm.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { type Host, hostAt, hosts, schemaOf, task, twoHosts } from '../support/hosts.ts'

// Two builds of aiswarm with different versions on one board, as while its hosts are upgraded one after the other.

const cluster = ownCluster()
const project = resolve(import.meta.dirname, '../..')

interface Described {
  readonly version: string
}

const described = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Described

/** Builds this program under another version; returns its entry. */
const buildAs = (version: string): string => {
  const folder = temporaryFolder()
  for (const part of ['src', 'components', 'build', 'migrations', 'tsdown.config.ts', 'tsconfig.json'])
    cpSync(join(project, part), join(folder, part), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...described, version }))
  execFileSync(process.execPath, [join(project, 'node_modules/tsdown/dist/run.mjs')], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(folder, 'dist/main.js')
}

/** The hosts whose workers plan for the board. */
const leaderOf = async (first: Host): Promise<string | undefined> => {
  const [lease] = await runSql<{ holder: string }>(
    cluster,
    `SELECT holder FROM "${schemaOf(first)}".leases WHERE name = 'supervisor' AND holder <> ''`,
  )
  return lease?.holder
}

test('the worker of the newer one of two builds plans for the board, and the older one when it has ended', async () => {
  const newest = buildAs('9.1.0')
  const { first, second } = await twoHosts(cluster)
  const [one, other] = hosts(first).map(({ id }) => id) as [string, string]
  first.worker()
  const plans = (host: string): Promise<unknown> =>
    until(`host ${host} to plan`, async () => (await leaderOf(first))?.includes(host))
  await plans(one)
  const done = async (title: string): Promise<void> => {
    const { id } = first.run<{ id: number }>(['task', 'add', title, '--persona', 'implementer', '--command', 'true'])
    await until(`task ${id}`, () => task(first, id).status === 'completed')
  }
  await done('by the older')
  const upgraded = hostAt(second.root, second.environment, {}, { main: newest, home: second.home })
  const worker = upgraded.worker()
  await plans(other)
  // It is not given back to the older one, which asks for it all the time.
  await done('by the newer')
  await done('by the newer again')
  expect(await leaderOf(first)).toContain(other)
  expect(hosts(first).map(({ program }) => program)).toEqual([described.version, '9.1.0'])
  expect(hosts(upgraded).map(({ program }) => program)).toEqual([described.version, '9.1.0'])
  worker.kill()
  await plans(one)
  await done('by the older, alone')
})
