import { mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../effects/swarm.ts'
import { enter, openScreen, type Screen } from '../stories/pty.ts'
import { openLab } from './lab.ts'
import type { FleetMachine } from './machine.ts'
import { serversAddress, whyNoNamespaces } from './namespaces.ts'

// A person follows the list in docs/fleet.md and types its commands, word by word but for the addresses.

const PASSWORD = 'open:sesame'

type Twelve = readonly [...Six, ...Six]
type Six = readonly [string, string, string, string, string, string]

const listed = (): readonly string[] => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/fleet.md'), 'utf8')
  const [, after = ''] = page.split('### Ten minutes for three hosts\n')
  return [...after.split('\n### ')[0]!.matchAll(/^(\d+)\. `([^`]+)`/gm)].map(([, , command]) => command!)
}

/** A shell in a terminal, which says when it waits for a command. */
const shellIn = ({ words, root, environment }: FleetMachine, folder: string): Screen => {
  // Words of a machine begin in the folder of its clone; git clones into an empty one.
  mkdirSync(root, { recursive: true })
  return openScreen([...words(), 'sh', '-c', 'cd "$0"; exec sh -i', folder], { columns: 200, rows: 50 }, root, {
    ...environment,
    PS1: 'ready> ',
  })
}

test(
  'a newcomer gets agents onto three hosts by typing the twelve commands of docs/fleet.md',
  { timeout: 600_000 },
  async (context) => {
    // Groups of processes share the name of one machine, and their server asks for no password.
    const without = whyNoNamespaces()
    context.skip(without !== undefined, without)
    const lab = await openLab({ hosts: ['a', 'b', 'c'], files: { 'README.md': 'a shop\n' }, isBare: true })
    context.onTestFinished(() => lab.close(), 120_000)
    lab.cluster.sql(`CREATE ROLE anna LOGIN PASSWORD '${PASSWORD}'`)
    lab.cluster.sql('CREATE DATABASE aiswarm OWNER anna')
    const authority = resolve(lab.folder, 'tls/ca.crt')
    const commands = listed().map((command) =>
      command
        .replace('db.example.net/aiswarm', `${serversAddress}/aiswarm?sslrootcert=${authority}`)
        .replace('https://git.example.net/shop.git', lab.remote.url),
    )
    expect(commands).toHaveLength(12)
    const [init, firstCode, secondCode, workerA, cloneB, joinB, workerB, cloneC, joinC, workerC, tasks, list] =
      commands as unknown as Twelve
    const { a, b, c } = lab.machines as Record<'a' | 'b' | 'c', FleetMachine>
    const shells: Screen[] = []
    context.onTestFinished(async () => {
      for (const shell of shells) await shell.kill()
    })
    const shell = async (machine: FleetMachine, folder: string): Promise<Screen> => {
      const screen = shellIn(machine, folder)
      shells.push(screen)
      await screen.until('ready>')
      return screen
    }
    /** Types a command after the screen has been cleared. */
    const type = async (screen: Screen, command: string): Promise<void> => {
      screen.press(`clear${enter}`)
      await screen.shows('an empty screen', (text) => text.trim() === 'ready>')
      screen.press(`${command}${enter}`)
    }

    const first = await shell(a, a.root)
    await type(first, init)
    await first.until(`Password of anna at ${serversAddress}:`)
    first.press(`${PASSWORD}${enter}`)
    await first.until('a is its first host')
    expect(first.written()).not.toContain(PASSWORD)
    const codeBy = async (command: string): Promise<string> => {
      await type(first, command)
      const [, code] = await first.until(/(aiswarm-join:1:[\w\s-]+?)\s*ready>/)
      return code!.replace(/\s/g, '')
    }
    const codes = [await codeBy(firstCode), await codeBy(secondCode)]
    await type(first, workerA)

    const join = async (machine: FleetMachine, clone: string, command: string, code: string, worker: string) => {
      const screen = await shell(machine, resolve(machine.root, '..'))
      await type(screen, clone)
      await type(screen, command)
      await screen.until('Code:')
      screen.press(`${code}${enter}`)
      await screen.until(`Password of anna at ${serversAddress}:`)
      screen.press(`${PASSWORD}${enter}`)
      await screen.until('Run the worker with this machine?')
      screen.press(enter)
      await screen.until(`This clone is host ${machine.name}`)
      expect(machine.sh('stat -c %a "$HOME/.pgpass"; cat "$HOME/.pgpass"')).toBe(
        String.raw`600
10.77.0.1:5432:aiswarm:anna:open\:sesame`,
      )
      await type(screen, worker)
    }
    await join(b, cloneB, joinB, codes[0]!, workerB)
    await join(c, cloneC, joinC, codes[1]!, workerC)
    await until('the workers', async () => Object.values(await lab.hosts()).every(({ beatAt }) => beatAt !== null))

    const second = await shell(a, a.root)
    await type(second, tasks)
    await second.until('Task 3 pending')
    await until('an agent on each host', async () =>
      Object.values(await lab.hosts()).every(({ running }) => running === 1),
    )
    await type(second, list)
    await second.until(/a \(here\) +\w+ +up +1 [^]*\nb +\w+ +up +1 [^]*\nc +\w+ +up +1 /)
  },
)
