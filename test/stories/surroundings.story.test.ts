import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'vitest'
import { machine } from '../../src/effects/sandbox/machine.ts'
import { needs } from '../support/needs.ts'
import { generous, openShop, programCommand, type Screen, type Shop } from './pty.ts'

// Machines on which the kernel confines nothing, made from namespaces of the test's own: each begins with what a
// person's machine lacks, and leaves this one as it is.

interface Surroundings {
  readonly where: string
  /** The words before a program that is to run there. */
  readonly words: (shop: Shop) => readonly string[]
  readonly why: string
}

const proc = ['--unshare-user', '--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--proc', '/proc']

const refusing: readonly Surroundings[] = [
  {
    where: 'without bubblewrap',
    words: () => ['bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', placeOfBwrap()],
    why: "bubblewrap is not installed; install the package 'bubblewrap'",
  },
  {
    where: 'without user namespaces',
    // The number is that of the namespace which unshare has made.
    words: () => ['unshare', '-Ur', 'sh', '-ec', 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', 'sh'],
    why: 'user namespaces are switched off; set user.max_user_namespaces above 0',
  },
  {
    where: 'in a namespace that allows no further one',
    words: () => ['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/'],
    why: 'an outer limit of user namespaces is reached; raise its user.max_user_namespaces',
  },
  {
    where: 'where parts of /proc are hidden',
    words: () => ['bwrap', ...proc, '--tmpfs', '/proc/fs'],
    why: 'parts of /proc are hidden here, as in a container; start that with --security-opt systempaths=unconfined',
  },
  {
    where: 'below a filter of system calls such as that of a container',
    words: (shop) => [
      'sh',
      '-c',
      'exec 9< "$0"; exec "$@"',
      filterOfContainer(shop),
      ...['bwrap', '--dev-bind', '/', '/', '--seccomp', '9'],
    ],
    why: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path))
      ? 'this container allows no user namespaces; start it with a seccomp profile that allows them'
      : 'a seccomp filter of the program that started aiswarm forbids user namespaces; start aiswarm outside of that',
  },
]

const asRoot: Surroundings = {
  where: 'as root without any right',
  words: () => ['setpriv', '--bounding-set=-all', '--inh-caps=-all'],
  why: 'root lacks the capability SETFCAP here, which its user namespaces need; add it, or run aiswarm as another user',
}

const isRoot = process.getuid?.() === 0

const placeOfBwrap = (): string => execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim()

/** As the profile of Docker: a namespace of users is refused to `clone` and `unshare`, and `clone3` is not there. */
const filterOfContainer = ({ folder }: Shop): string => {
  const [clone, unshare, clone3] = process.arch === 'arm64' ? [220, 97, 435] : [56, 272, 435]
  const program: readonly (readonly [code: number, yes: number, no: number, value: number])[] = [
    [0x20, 0, 0, 0],
    [0x15, 0, 1, clone3],
    [0x06, 0, 0, 0x50000 | 38],
    [0x15, 1, 0, clone],
    [0x15, 0, 3, unshare],
    [0x20, 0, 0, 16],
    [0x45, 0, 1, 0x10000000],
    [0x06, 0, 0, 0x50000 | 1],
    [0x06, 0, 0, 0x7fff0000],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, yes, no, value], at) => {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(yes, at * 8 + 2)
    bytes.writeUInt8(no, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  })
  const path = join(folder, 'filter')
  writeFileSync(path, bytes)
  return path
}

/** Starts a command of aiswarm there. No line of it is wrapped. */
const startIn = (shop: Shop, words: readonly string[], args: readonly string[], columns = 400): Screen =>
  shop.startProgram([...words, ...programCommand, ...args, '--root', shop.root], {
    columns,
    environment: { AISWARM_SANDBOX: 'auto' },
  })

const saidIn = async (shop: Shop, words: readonly string[], args: readonly string[]): Promise<string> => {
  const screen = startIn(shop, words, args)
  await screen.ended()
  return screen.text()
}

const opened = async (test: TestContext, config: string): Promise<Shop> => {
  needs(test, 'bubblewrap' in (await machine()), 'nothing can be confined')
  const shop = openShop(test, { config })
  await shop.worktree('auth')
  await shop.add('Add a', 'echo a > a; git add a; git commit -qm "Add a"', '--worktree', 'auth')
  return shop
}

const dryRun = ['agent', 'spawn', '--persona', 'implementer', '--kind', 'command', '--dry-run']

describe.concurrent.each([...refusing, ...(isRoot ? [asRoot] : [])])('$where', ({ words, why }) => {
  it('auto starts agents, and every surface says that nothing is confined and why', generous, async (test) => {
    const { expect } = test
    const shop = await opened(test, 'agents: {default: command}\n')
    const there = words(shop)
    expect(await saidIn(shop, there, ['doctor'])).toContain(`off, because ${why}`)
    expect(await saidIn(shop, there, dryRun)).toContain(`off, because ${why}`)
    const screen = startIn(shop, there, ['tui'], 220)
    await screen.until(`⚠ no sandbox: ${why}`)
    await screen.until(/✓ done .*Add a/)
    screen.press('2s')
    await screen.until('Spawn an agent')
    await screen.until(`no sandbox: ${why.slice(0, 40)}`)
    screen.press('\u001b')
    await screen.lacks('Spawn an agent')
    screen.press('4i')
    await screen.until(`implementer-1 worked without a sandbox: ${why}`)
  })

  it('required starts nothing, and every surface says why in one sentence', generous, async (test) => {
    const { expect } = test
    const shop = await opened(test, 'agents: {default: command}\nsandbox: required\n')
    const there = words(shop)
    const sentence = `The sandbox is required, but ${why}.`
    expect(await saidIn(shop, there, ['doctor'])).toContain(sentence)
    expect((await saidIn(shop, there, dryRun)).trim()).toBe(sentence)
    expect(await saidIn(shop, there, ['run', '--until-idle'])).toContain(sentence)
    const screen = startIn(shop, there, ['tui'], 340)
    await screen.until(`⚠ nothing starts without a sandbox: ${why}`)
    screen.press('2s')
    await screen.until(`it would not start: the sandbox is required, but ${why.slice(0, 20)}`)
    expect(shop.git('log', '--format=%s', 'feature/auth')).toBe('Begin')
    expect(existsSync(join(shop.folder, 'auth', 'a'))).toBe(false)
  })
})

const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']

describe.concurrent.each([
  { who: 'the user of the tests', words: [], owner: undefined },
  { who: 'a user without any right', words: [...user, '--inh-caps=-all', '--no-new-privs'], owner: '65534:65534' },
  {
    who: 'root with one right',
    words: ['setpriv', '--bounding-set=-all,+setfcap', '--inh-caps=-all,+setfcap'],
    owner: '0:0',
  },
])('$who', ({ words, owner }) => {
  it('has agents that the kernel confines, and no surface says otherwise', generous, async (test) => {
    const { expect } = test
    needs(test, owner === undefined || isRoot, 'only root becomes another user')
    const shop = await opened(test, 'sandbox: required\n')
    shop.write({ '../token': 'secret' })
    await shop.add('Read', 'cat "$HOME/token" > read; id -u > who; true', '--worktree', 'auth')
    if (owner !== undefined) execFileSync('chown', ['-R', owner, shop.folder])
    expect(await saidIn(shop, words, ['doctor'])).toMatch(/sandbox +on \(required\)/)
    await saidIn(shop, words, ['run', '--until-idle'])
    expect(shop.read('../auth/who').trim()).toBe(String(owner?.split(':')[0] ?? process.getuid!()))
    expect(shop.read('../auth/read')).toBe('')
    expect(await saidIn(shop, words, ['worktree', 'show', 'auth'])).not.toContain('without a sandbox')
  })
})
