import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop, programCommand } from './pty.ts'

const down = '\u001b[B'

/** Only git and node: no agent CLI is installed. */
const withoutAgents = { PATH: [join(process.execPath, '..'), '/usr/bin', '/bin'].join(':') }

it.concurrent(
  'the first console on master without an agent asks one question, writes what is shown, and opens',
  generous,
  async (test) => {
    const shop = openShop(test, {
      config: '',
      files: { 'package.json': '{"scripts": {"test": "vitest"}}', 'package-lock.json': '{}', 'Cargo.toml': '' },
    })
    shop.git('branch', '--move', 'main', 'master')
    const screen = shop.start(['tui', '--root', shop.root], { environment: withoutAgents })
    await screen.until(/Approved work is merged into master[^]*Which command must a merge pass\?/)
    await screen.until(/● npm test && cargo test/)
    test.expect(existsSync(join(shop.root, '.aiswarm'))).toBe(false)
    screen.press(down)
    await screen.until(/● npm test \(package.json; npm ci prepares a worktree\)/)
    screen.press(enter)
    await screen.until('No agent CLI was found')
    await screen.until(/integration:\s+│\n│ {4}target: master[^]*verify: npm test[^]*Write this file\?/)
    test.expect(existsSync(join(shop.root, '.aiswarm'))).toBe(false)
    screen.press(enter)
    await screen.until('1 Board')
    await screen.until('No agent CLI found: give it a command')
    const written = shop.read('.aiswarm/config.yaml')
    test.expect(written).toMatch(/^ {2}target: master /m)
    test.expect(written).toMatch(/^ {2}verify: npm test /m)
    test.expect(written).toMatch(/^ {2}setup: npm ci /m)
    await screen.listens()
    screen.press('n')
    await screen.until('[New task]')
    screen.press(`${escape}`)
    await screen.lacks('[New task]')
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)

    const again = await shop.console({ environment: withoutAgents })
    test.expect(again.text()).not.toContain('Which command')
  },
)

it.concurrent(
  'the first start proposes the branch of origin/HEAD, and skips everything at esc',
  generous,
  async (test) => {
    const shop = openShop(test, { config: '', files: { 'go.mod': 'module shop\n' } })
    shop.git('branch', 'develop')
    shop.git('update-ref', 'refs/remotes/origin/develop', 'HEAD')
    shop.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
    const init = shop.start(['init', '--root', shop.root], { environment: withoutAgents })
    await init.until(/Which branch is approved work merged into\?[^]*● develop/)
    init.press(escape)
    await init.until("Skipped: nothing is written. 'aiswarm init' asks again.")
    test.expect(await init.ended()).toBe(0)
    test.expect(existsSync(join(shop.root, '.aiswarm'))).toBe(false)

    const second = shop.start(['init', '--root', shop.root], { environment: withoutAgents })
    await second.until(/● develop/)
    second.press(enter)
    await second.until(/● go test \.\/\.\.\./)
    second.press(enter)
    await second.until(/target: develop[^]*verify: go test[^]*Write this file\?/)
    second.press(enter)
    await second.until('is ready. Created:')
    test.expect(await second.ended()).toBe(0)
    test.expect(shop.read('.aiswarm/config.yaml')).toMatch(/^ {2}target: develop /m)

    const console = await shop.console()
    await console.until('No tasks yet')
  },
)

it.concurrent(
  'esc at the first console opens it with the defaults, and ctrl-c opens nothing',
  generous,
  async (test) => {
    const shop = openShop(test, { config: '' })
    const left = shop.start(['tui', '--root', shop.root], { environment: withoutAgents })
    await left.until('Which command must a merge pass?')
    left.press('\u0003')
    test.expect(await left.ended()).toBe(0)
    test.expect(existsSync(join(shop.root, '.aiswarm'))).toBe(false)

    const skipped = shop.start(['tui', '--root', shop.root], { environment: withoutAgents })
    await skipped.until('Which command must a merge pass?')
    skipped.press(escape)
    await skipped.until('1 Board')
    test.expect(existsSync(join(shop.root, '.aiswarm/config.yaml'))).toBe(false)
  },
)

it.concurrent(
  'the first start in an empty folder says what to do, first without git and then without a commit',
  generous,
  async (test) => {
    const shop = openShop(test)
    const empty = join(shop.folder, 'empty')
    mkdirSync(empty)
    const screen = shop.startProgram([...programCommand, 'tui', '--root', empty])
    await screen.until(/empty is not in a git repository; run 'git init' there/)
    test.expect(await screen.ended()).toBe(1)
    const init = shop.startProgram(['git', 'init', '--quiet', empty])
    test.expect(await init.ended()).toBe(0)
    const again = shop.startProgram([...programCommand, 'tui', '--root', empty])
    await again.until(/has no commits yet; create one, for example with 'git commit/)
    test.expect(await again.ended()).toBe(1)
    test.expect(existsSync(join(empty, '.aiswarm'))).toBe(false)
  },
)

it.concurrent(
  'init without a terminal asks nothing: --yes takes the proposals, --dry-run writes nothing',
  generous,
  async (test) => {
    const shop = openShop(test, { config: '', files: { Makefile: 'check:\n\ttrue\n' } })
    const dry = await shop.run('init', '--dry-run')
    test.expect(dry.code).toBe(0)
    test.expect(dry.out).toMatch(/^ {2}verify: make check /m)
    test.expect(existsSync(join(shop.root, '.aiswarm'))).toBe(false)
    test.expect((await shop.run('init', '--yes')).out).toContain('is ready. Created:')
    test.expect(shop.read('.aiswarm/config.yaml')).toBe(dry.out.split('\n').slice(1).join('\n'))
    test.expect((await shop.run('init', '--yes')).out).toContain('is ready; nothing was missing.')
  },
)
