import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { insertHost } from '../../../src/db/hosts.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { diagnoseHosts, diagnoseServer, diagnoseUnused, standingOfGit } from '../../../src/effects/opening/doctor.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { openShop, programCommand } from '../../stories/pty.ts'
import { openCore, temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { script } from '../sandbox/script.ts'
import { git, repository, sh } from '../swarm.ts'

it('doctor creates nothing in a repository without aiswarm', async (test) => {
  const shop = openShop(test, { config: '' })
  const { code, out } = await shop.run('doctor')
  expect([code, programCommand.length]).toEqual([0, 2])
  expect(out).toContain("none yet; 'aiswarm init' creates it")
  expect(readdirSync(shop.root).sort()).toEqual(['.git', 'README.md'])
})

it('doctor does not report a slow CLI as missing', async (test) => {
  const shop = openShop(test)
  // It prints its version too late: after a minute, or when it is stopped.
  shop.write({ 'bin/claude': '#!/bin/sh\nexec sleep 60\n' })
  shop.git('update-index', '--add', '--chmod=+x', 'bin/claude')
  shop.git('checkout-index', '--force', 'bin/claude')
  vi.stubEnv('PATH', `${join(shop.root, 'bin')}:${process.env['PATH'] ?? ''}`)
  test.onTestFinished(() => void vi.unstubAllEnvs())
  expect(existsSync(join(shop.root, 'bin/claude'))).toBe(true)
  const claude = (await diagnoseUnused(shop.root, undefined, 200)).find(({ name }) => name === 'agent kind claude')
  expect(claude).toMatchObject({
    ok: true,
    detail: expect.stringContaining("'claude --version' took longer than 0.2 s") as string,
  })
})

it('doctor names what of the person an agent in the sandbox would not find, and what to list', async (test) => {
  needs(test, 'bubblewrap' in (await machine()), 'nothing can be confined')
  const shop = openShop(test, { config: 'sandbox: required\n' })
  const own = join(shop.folder, 'servers', 'own.mjs')
  shop.write({
    '../servers/own.mjs': '',
    '../.claude.json': JSON.stringify({ mcpServers: { own: { command: 'node', args: [own] } } }),
    '../.npmrc': 'registry=http://localhost:4873/\n',
  })
  script(join(shop.folder, 'claude'), 'echo 2.1.0')
  const doctor = (environment: Readonly<Record<string, string>>) => async () => {
    const screen = shop.startProgram([...programCommand, 'doctor', '--root', shop.root], { columns: 400, environment })
    await screen.ended()
    return screen.text()
  }
  const said = doctor({ PATH: `${shop.folder}:${process.env['PATH'] ?? ''}` })
  const server = `claude: The MCP server own cannot start in the sandbox, which hides ${own}. List ${join(shop.folder, 'servers')} in sandbox.read`
  const registry = 'The sandbox hides ~/.npmrc, so npm inside does not use its registry. List ~/.npmrc in sandbox.read.'
  const before = await said()
  expect(before).toContain(server)
  expect(before).toContain(registry)
  shop.write({ '.aiswarm/config.yaml': 'sandbox: {mode: required, read: [~/servers, ~/.npmrc]}\n' })
  const after = await said()
  expect(after).toContain('sandbox')
  expect(after).not.toMatch(/MCP server|registry/)
})

const board = async () => {
  const { core, store, perform, now } = await openCore()
  const join = (id: string, name: string, beatAt: string | null, hold: string | null = null): Promise<void> =>
    store.write((db) =>
      insertHost(db, { hold, id, name, machine: id, root: `/${id}`, program: '1', beat_at: beatAt, joined_at: now() }),
    )
  const found = async (host: string | null | undefined) =>
    (await diagnoseHosts({ core: { ...core, ...(host === undefined ? {} : { host }) }, actor: person })).map(
      ({ name, ok, detail }) => `${ok} ${name}: ${detail}`,
    )
  return { perform, join, found, now }
}

it('a board with one host has nothing to say about hosts', async () => {
  const { found } = await board()
  expect(await found(undefined)).toEqual([])
  expect(await found('local')).toEqual([])
})

it('doctor names hosts that are silent or have no worker, and a remote that does not answer', async () => {
  const { perform, join: joined, found, now } = await board()
  await joined('b', 'build-2', now())
  await joined('c', 'laptop', '2001-01-01T00:00:00.000Z')
  await joined('d', 'new', null)
  await joined('e', 'full', now(), 'only 2 GB of the disk is free')
  const lines = await found(null)
  expect(lines[0]).toContain('null this clone: no host of the board')
  expect(lines).toContainEqual('true host build-2: up, agents: 0')
  expect(lines).toContainEqual(expect.stringMatching(/^null host laptop: silent since /))
  expect(lines).toContainEqual("null host new: no worker has run there yet ('aiswarm worker')")
  expect(lines).toContainEqual('false host full: starts nothing new: only 2 GB of the disk is free')
  expect(lines.at(-1)).toMatch(/^null git remote: none, so the work of other hosts cannot be merged/)
  await perform(setRemote, { url: join(temporaryFolder(), 'gone.git') }, person)
  expect((await found('local')).at(-1)).toMatch(/^false git remote: /)
})

it('doctor says of each host as whom its agents run, and what they can do without a sandbox', async () => {
  const { core, store, now } = await openCore()
  const host = (id: string, agents: object): Promise<void> =>
    store.write((db) =>
      insertHost(db, {
        ...agents,
        id,
        name: id,
        machine: id,
        root: `/${id}`,
        program: '1',
        beat_at: now(),
        joined_at: now(),
      }),
    )
  await host('b', { agents_as: 'anna', unconfined: '' })
  await host('c', { agents_as: 'root', unconfined: 'bubblewrap is not installed; install it to confine agents' })
  const found = await diagnoseHosts({ core: { ...core, host: 'b' }, actor: person })
  expect(found.filter(({ name }) => name.startsWith('agents of'))).toEqual([
    { name: 'agents of b', ok: true, detail: 'agents run as anna, in a sandbox' },
    {
      ...{ name: 'agents of c', ok: null },
      detail:
        'agents run as root without a sandbox (bubblewrap is not installed): they can use what root can on this host, and approve nothing through aiswarm',
    },
  ])
})

it('doctor names a server that is far away, and a remote whose git is too old', async () => {
  const said = async (ms: number) => (await diagnoseServer({ roundTrip: () => Promise.resolve(ms) }))[0]
  expect(await said(1.23)).toEqual({ name: 'server', ok: true, detail: 'answers in 1.2 ms' })
  expect(await said(20)).toMatchObject({ ok: true })
  expect(await said(34.6)).toEqual({
    ...{ name: 'server', ok: null },
    detail: 'answers in 35 ms; above 20 ms claims and screens are slow, so let this host work nearer to it',
  })
  expect(await diagnoseServer({})).toEqual([])
  expect(standingOfGit('url', '2.10')).toEqual({
    ...{ ok: false },
    detail: 'url has git 2.10; update it there to 2.11 or newer',
  })
  for (const version of ['2.11', '2.39', '3.0']) expect(standingOfGit('url', version).ok).toBe(true)
  // A forge may name no version of git.
  expect(standingOfGit('url', undefined)).toEqual({ ok: true, detail: 'url' })
})

it('doctor on a host tries whether the remote accepts its pushes, and leaves nothing there', async () => {
  const { core, store, perform, now } = await openCore()
  await store.write((db) =>
    insertHost(db, { id: 'b', name: 'b', machine: 'b', root: '/b', program: '1', beat_at: now(), joined_at: now() }),
  )
  const root = repository()
  const url = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${url}"`)
  await perform(setRemote, { url }, person)
  const found = async (host: string | null) =>
    (await diagnoseHosts({ core: { ...core, root, host }, actor: person })).find(({ name }) => name === 'git remote')!
  expect(await found('local')).toMatchObject({ ok: true })
  expect(git(url, 'for-each-ref', 'refs/aiswarm')).toBe('')
  writeFileSync(join(url, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(await found('local')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/does not accept refs below refs\/aiswarm.*Allow them there/) as string,
  })
  // Another clone pushes nothing.
  expect(await found(null)).toMatchObject({ ok: true })
  writeFileSync(join(url, 'hooks/pre-receive'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  writeFileSync(join(url, 'hooks/update'), '#!/bin/sh\ntest "${1#refs/heads/}" != "$1"\n', { mode: 0o755 })
  expect(await found('local')).toMatchObject({ ok: false })
  await perform(setRemote, { url, refs: 'branches' }, person)
  expect(await found('local')).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/, as branches below aiswarm\/$/) as string,
  })
})
