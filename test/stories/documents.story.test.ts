import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { type Block, blocksOf, pages } from '../documents/pages.ts'
import { startCluster } from '../support/postgres.ts'
import { testedStore } from '../support/template.ts'
import { enter, generous, openShop, programCommand, type Screen, type Shop } from './pty.ts'

// Every sh block of the pages runs as printed: the blocks of a page in their order, in one fresh repository, in a
// terminal.

/** The person's answers to commands that ask; all other commands run to their end by themselves. */
const answers: Readonly<Record<string, (screen: Screen) => Promise<void>>> = {
  aiswarm: async (screen) => {
    await screen.until(/1 Board/)
    await screen.listens()
    screen.press('q')
  },
  'aiswarm worktree approve greeting': async (screen) => {
    await screen.until(/name of the worktree/i)
    screen.press(`greeting${enter}`)
  },
}

/** Blocks that are shown and not run, by their first line, with the reason. */
const notRun: Readonly<Record<string, string>> = {
  'npm ci':
    'installs from a package registry and runs this suite; .ci/run runs the same scripts, and test/package.test.ts checks that they exist',
  'npm run build': 'the build writes the dist/ that other stories run meanwhile; it ran before them',
  'npm version minor': 'publishes; test/package.test.ts packs and installs what would be published',
  'sudo apt-get install postgresql':
    'installs a server of the whole machine; the commands after it run against a server of their own',
  'npm ci && npm start':
    'npm ci needs a package registry; .ci/run does it in a clean clone, and the story of the demo runs what npm start does',
  'aiswarm fleet remote git@git.example.net:shop': 'needs a second machine; test/fleet names a remote on its machines',
  'aiswarm fleet restored': 'ends all agents of a fleet; test/postgres/leaving-hosts.test.ts restores one',
  "aiswarm agent run backend 'Make the login work' --kind claude --workspace ./api":
    'needs the login of a real CLI; the stories of session files run it with an agent of their own',
}

/** Pages that move a board out of its file, or restore it there: a store that the environment names counts before the file. */
const ofFiles: readonly string[] = ['docs/fleet.md', 'docs/troubleshooting.md']

const withoutComment = (line: string): string => line.replace(/(?:^|\s+)#(?:\s.*)?$/, '').trim()

/** The command lines of a block; a `\` at the end of a line joins it to the next. */
const commandsOf = ({ text }: Block): readonly string[] =>
  text
    .replaceAll('\\\n', '')
    .split('\n')
    .map(withoutComment)
    .filter((line) => line !== '')

/** A server on this machine with an empty database, and the variables with which its address needs no more. */
const serverNextDoor = (test: TestContext): Record<string, string> => {
  const port = String(20_000 + (process.pid % 10_000))
  const cluster = startCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port } })
  test.onTestFinished(cluster.remove)
  cluster.sql('CREATE ROLE anna LOGIN')
  cluster.sql('CREATE DATABASE aiswarm OWNER anna')
  return { PGPORT: port }
}

const blocks = pages.flatMap(blocksOf)
const shown = blocks.filter(({ language }) => language === 'console')

/** A folder with `aiswarm` in it, as npm link would put it on the PATH. */
const binOf = (shop: Shop): string => {
  const bin = join(shop.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'aiswarm'), `#!/bin/sh\nexec ${programCommand.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(join(bin, 'aiswarm'), 0o755)
  return bin
}

for (const page of pages) {
  const scripts = blocks.filter((block) => block.page === page && block.language === 'sh')
  if (scripts.length === 0) continue
  it.concurrent(`the commands of ${page} run as printed`, generous, async (context) => {
    context.skip(testedStore !== 'sqlite' && ofFiles.includes(page), 'it moves or restores a board in a file')
    const shop = openShop(context)
    const environment = {
      ...(page === 'docs/fleet.md' ? serverNextDoor(context) : {}),
      PATH: [binOf(shop), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    }
    for (const script of scripts)
      for (const command of commandsOf(script)) {
        const screen = shop.startProgram(['/bin/sh', '-c', `cd "${shop.root}" && ${command}`], { environment })
        await answers[command]?.(screen)
        context.expect(await screen.ended(), `${page}:${script.line}: ${command}\n${screen.text()}`).toBe(0)
      }
    if (page === 'README.md') context.expect(shop.git('show', 'main:greeting.txt')).toBe('hello')
  })
}

it('every block that does not run has a reason', () => {
  expect(shown.map((block) => commandsOf(block)[0]).sort()).toEqual(Object.keys(notRun).sort())
})

it('every answer belongs to a command of a page', () => {
  const printed = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf)
  expect(Object.keys(answers).filter((command) => !printed.includes(command))).toEqual([])
})
