import type { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { networksOf, postgresLines } from '../../../src/cli/verbs/fleet.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { renewSecret, tokenOf } from '../../../src/effects/files/secret.ts'
import { findCheckout } from '../../../src/effects/git/repository.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { declareRestored } from '../../../src/operations/failover/restored-board.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { refused } from '../../support/core.ts'
import { openTerminal } from '../terminal.ts'

test('fleet join is refused outside of a clone before a person is asked for a code', async () => {
  const { folder, run } = await openTerminal({
    streams: { stdinIsTerminal: true },
    services: { repositoryRoot: findCheckout },
  })
  expect(await run('fleet', 'join', '--root', folder)).toEqual({
    code: 1,
    out: '',
    err: `A host is a clone of the board's repository, and ${folder} is in none. Run 'git clone URL', and join in the folder that it makes.\n`,
  })
})

test('fleet init --print-postgres prints five lines that prepare a server for a role, and moves no board', async () => {
  const { run, json } = await openTerminal()
  const { lines } = await json<{ lines: string[] }>(
    ...['fleet', 'init', '--print-postgres', '--database', 'postgresql://bea@db.example.net/aiswarm'],
  )
  expect(lines).toHaveLength(5)
  expect(lines[0]).toBe('sudo -u postgres createuser --pwprompt bea')
  expect(lines[3]).toMatch(/^printf '%s\\n' (?:'hostssl aiswarm bea \S+ scram-sha-256' )+\| sudo -u postgres /)
  expect((await run('fleet', 'init', '--print-postgres')).out.trimEnd().split('\n')).toHaveLength(5)
})

test('the rules for a server name every network from which hosts may come, and none inside the machine', () => {
  const address = (cidr: string, internal = false) => ({
    ...{ address: cidr.split('/')[0]!, netmask: '255.255.255.0', family: 'IPv4' as const, mac: '', internal, cidr },
  })
  const interfaces: ReturnType<typeof networkInterfaces> = {
    lo: [address('127.0.0.1/24', true)],
    docker0: [address('172.17.0.1/24')],
    'br-5f1c': [address('172.18.0.1/24')],
    eth0: [address('10.1.2.3/24')],
    wg0: [address('192.168.7.9/24')],
  }
  expect(networksOf(interfaces)).toEqual(['10.1.2.0/24', '192.168.7.0/24'])
  expect(postgresLines('anna', networksOf(interfaces))[3]).toBe(
    `printf '%s\\n' 'hostssl aiswarm anna 10.1.2.0/24 scram-sha-256' 'hostssl aiswarm anna 192.168.7.0/24 scram-sha-256' | sudo -u postgres sh -c 'cat >> "$(psql -Atc "SHOW hba_file")"'`,
  )
  expect(postgresLines('anna', [])[3]).toContain("'hostssl aiswarm anna YOUR.NETWORK/24 scram-sha-256'")
})

test('fleet status of a board in a database file says how other hosts can join, and nothing of what they push', async () => {
  const { run } = await openTerminal()
  const [board, alone, empty, head] = (await run('fleet', 'status')).out.split('\n')
  expect(board).toMatch(/^The board is at .*coordination\.db\.$/)
  expect(alone).toBe(
    "It is a database file, which has one host. 'aiswarm fleet init --database URL' moves it to a server.",
  )
  expect([empty, head?.split(/ +/)[0]]).toEqual(['', 'HOST'])
})

test('Ctrl-C or a wrong word at a question of the fleet is refused and changes nothing', async () => {
  for (const ask of [() => Promise.reject(new DOMException('aborted', 'AbortError')), () => Promise.resolve('yes')]) {
    const { core, run } = await openTerminal({
      streams: { stdinIsTerminal: true, ask },
      services: {
        repositoryRoot: (folder) => Promise.resolve(folder),
        restoreFleet: async (_, { confirm }) => {
          await confirm()
          throw new Error('The board was said to be restored.')
        },
      },
    })
    const { secret } = await perform(core, makeJoinCode, {}, system())
    await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, system())
    for (const [line, word] of [
      [['host', 'lost', 'b'], 'lost'],
      [['host', 'forget', 'b'], 'forget'],
      [['fleet', 'restored'], 'restored'],
    ] as const)
      expect(await run(...line)).toEqual({ code: 1, out: '', err: `'${word}' was not typed, so nothing was done.\n` })
    expect((await perform(core, listHosts, {}, system())).map(({ state }) => state)).toEqual(['up', 'up'])
  }
})

test('fleet rotate revokes unused codes, and gives agents that start from now on tokens of a new secret', async () => {
  const renewed: string[] = []
  const { core, run } = await openTerminal({
    services: {
      renewSecret: async (root) => {
        renewed.push(root)
        renewSecret(root)
      },
    },
  })
  const { secret } = await perform(core, makeJoinCode, {}, system())
  const before = tokenOf(core.root, 'ada', 1)
  expect(tokenOf(core.root, 'ada', 1)).toBe(before)
  expect((await run('fleet', 'rotate', '--root', core.root)).out).toMatch(
    /^Codes revoked: 1\. Agents that start on this host/,
  )
  expect(renewed).toEqual([core.root])
  expect(tokenOf(core.root, 'ada', 1)).not.toBe(before)
  const joining = { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }
  expect(await refused(perform(core, joinHost, joining, system()))).toBe('not_found')
  expect((await run('fleet', 'rotate', '--root', core.root)).out).toMatch(/^Codes revoked: 0\./)
})

test('host list and host show say what is known of a host before and after its first worker', async () => {
  const { core, run } = await openTerminal()
  const { secret } = await perform(core, makeJoinCode, { labels: ['big'] }, system())
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b/shop' }, system())
  expect((await run('host', 'list')).out).toMatch(/^b +bbbbbbbb +not started +0 +0 +big +– +–$/m)
  const first = (await run('host', 'show', 'b')).out
  expect(first).toContain('clone   /b/shop')
  expect(first).toContain('kinds   not known')
  expect(first).toContain('agents  not known')
  expect(first).not.toContain('ssh ')
  const worker = {
    hostId: 'bbbbbbbb',
    holder: 'w',
    pid: 1,
    ttl: 10_000,
    root: '/b/shop',
    program: '1.2',
    kinds: ['claude'],
    agentsAs: 'anna',
    unconfined: null,
  }
  await perform(core, takeHost, worker, system())
  expect((await run('host', 'label', 'b', '--ssh', 'anna@b')).code).toBe(0)
  expect((await run('host', 'list')).out).toMatch(/^b +bbbbbbbb +up +0 +0 +big +1\.2 +\S+ ago$/m)
  const then = (await run('host', 'show', 'b')).out
  expect(then).toContain('kinds   claude')
  expect(then).toContain('agents  run as anna, in a sandbox')
  expect(then).toContain('ssh     anna@b')
})

test('host list and fleet status say with what a host came back to a restored board, and host show not that it was lost', async () => {
  const { core, run } = await openTerminal()
  const { secret } = await perform(core, makeJoinCode, {}, system())
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, system())
  await perform(core, declareRestored, { anyway: true }, system())
  const kept = { worktree: 'lamp', ref: 'refs/aiswarm/returned/b/lamp/1', problem: null, pushed: false }
  await perform(core, returnHost, { hostId: 'bbbbbbbb', kept: [kept] }, system())
  const sentence =
    "Host b came back with lamp. 'aiswarm host show b' says where their files are kept, 'aiswarm host settle b' that you have seen them."
  for (const words of [
    ['host', 'list'],
    ['fleet', 'status'],
  ])
    expect((await run(...words)).out.trimEnd().split('\n').at(-1)).toBe(sentence)
  const shown = (await run('host', 'show', 'b')).out
  expect(shown).toContain('epoch   2: it was lost, or the board was restored, 1 time so far')
  expect(shown).toContain('back with lamp: refs/aiswarm/returned/b/lamp/1')
  await run('host', 'settle', 'b')
  expect((await run('host', 'list')).out).not.toContain('came back')
})

test('host label sets what is known of a host, and takes it back with an empty text', async () => {
  const { core, run, json } = await openTerminal()
  const { secret } = await perform(core, makeJoinCode, { labels: ['big'] }, system())
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b/shop' }, system())
  const set = ['--ssh', 'anna@b', '--account', 'anna', '--max-parallel', '2']
  expect(await json('host', 'label', 'b', ...set)).toMatchObject({ ssh: 'anna@b', account: 'anna', maxParallel: 2 })
  expect((await run('host', 'label', 'b', ...set)).out).toBe(
    'Host b has the labels big, runs at most 2 agents at a time, is reached by SSH as anna@b and works as account anna.\n',
  )
  const unset = set.map((word) => (word.startsWith('--') ? word : ''))
  const none = { ssh: null, account: null, maxParallel: null, labels: ['big'] }
  expect(await json('host', 'label', 'b', ...unset)).toMatchObject(none)
  expect(await json('host', 'label', 'b', '--labels', '')).toMatchObject({ labels: [] })
  expect((await run('host', 'label', 'b', '--max-parallel', '0')).code).toBe(2)
})

test('fleet join says which agent kinds it has found, and whether the clock of the machine agrees', async () => {
  const joined = async (kinds: string[], clockAhead: number, found: object = {}): Promise<string[]> => {
    const { core, run } = await openTerminal({
      services: {
        repositoryRoot: (folder) => Promise.resolve(folder),
        joinFleet: async () => ({
          ...(await perform(core, listHosts, {}, system()))[0]!,
          ...{ kinds, clockAhead, socketProblem: null, agentsAs: 'anna', unconfined: null },
          ...found,
        }),
      },
    })
    return (await run('fleet', 'join', '--root', core.root)).out.split('\n').slice(1, -2)
  }
  expect(await joined(['claude', 'command'], 240)).toEqual([
    'Agent kinds found here: claude, command.',
    "Its clock agrees with the server's.",
    'Agents run as anna, in a sandbox.',
  ])
  const alone = { unconfined: 'bubblewrap is not installed', socketProblem: 'listen EOPNOTSUPP' }
  expect(await joined(['command'], -192_000, alone)).toEqual([
    'No agent CLI was found here, so only tasks with a command run on this host. Install one where the worker finds it (PATH).',
    "Its clock is 3m12 behind the server's; aiswarm counts by the server's.",
    'Agents run as anna without a sandbox (bubblewrap is not installed): they can use what anna can on this host, and approve nothing through aiswarm.',
    'Agents here could not reach a worker: listen EOPNOTSUPP. Put the clone on a disk of this machine, which has sockets.',
  ])
  expect((await joined(['claude'], 3_600_000))[1]).toContain('1h00 ahead of')
})
