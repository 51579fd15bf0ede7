import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands/index.ts'
import { commandsForConsole } from '../../../src/cli/run/for-console.ts'
import { buildProgram } from '../../../src/cli/run/program.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { shellLine } from '../../../src/domain/words/shell-words.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { importedBy, sources } from '../../architecture/sources.ts'
import { openTerminal } from '../terminal.ts'

const openConsole = async () => {
  const { core } = await openTerminal()
  const connection = { core, actor: person, outside: { carryOut: () => Promise.resolve() } as never }
  const offered = commandsForConsole(connection, { version: '0' } as never, {})
  const command = (path: string) => offered.find((one) => one.path === path)!
  return { core, offered, command, tasks: () => perform(core, listTasks, {}, person) }
}

const quiet = { out: () => {}, err: () => {} } as never

test('the console offers every command except those that take the terminal or never end', async () => {
  const { offered } = await openConsole()
  expect(commands.map(({ path }) => path).filter((path) => !offered.some((one) => one.path === path))).toEqual([
    'tui',
    'init',
    'demo',
    'run',
    'worker',
    'agent take-over',
    'agent run',
    'agent parallel',
    'fleet join',
    'mcp',
    'metrics',
    'completion',
  ])
  expect(
    offered.flatMap(({ words }) => words.map(({ name }) => name)).filter((name) => /follow|watch/.test(name)),
  ).toEqual([])
})

test('a submitted form runs its command and shows the receipt of the command line', async () => {
  const { command, tasks } = await openConsole()
  expect(
    await command('task add').run({
      title: '-rf is no option',
      personaId: 'tester',
      priority: '-5',
      acceptanceCriteria: "'It logs in' fast",
    }),
  ).toMatch(/^Task 1\b|1 /)
  expect(await tasks()).toMatchObject([
    {
      title: '-rf is no option',
      personaId: 'tester',
      priority: -5,
      acceptanceCriteria: [{ text: 'It logs in' }, { text: 'fast' }],
    },
  ])
  expect(await command('task list').run({ where: 'persona:tester' })).toContain('-rf is no option')
  expect(await command('task list').run({ where: 'persona:planner' })).not.toContain('-rf is no option')
})

test('a refused value is explained below its field, and the command does not run', async () => {
  const { command, tasks } = await openConsole()
  const add = command('task add')
  expect(add.refusals({})).toEqual({ title: 'This field is required.', personaId: 'This field is required.' })
  expect(add.refusals({ title: 'x', personaId: 'tester', priority: 'high', metadata: '{' })).toMatchObject({
    priority: 'A whole number was expected.',
    metadata: expect.stringContaining('JSON') as string,
  })
  expect(add.refusals({ title: 'x'.repeat(5000), personaId: 'tester' })).toEqual({
    title: expect.stringContaining('Too big') as string,
  })
  expect(add.refusals({ title: 'x', personaId: 'p'.repeat(51) })).toEqual({
    personaId: expect.stringContaining('Too big') as string,
  })
  expect(command('agent show').refusals({ id: 'x' })).toEqual({})
  expect(add.refusals({ title: 'x', personaId: 'tester' })).toEqual({})
  expect(add.refusals({ title: 'x', personaId: 'tester', priority: '99999999999999999999' })).toEqual({
    priority: 'A whole number from -9007199254740991 to 9007199254740991 was expected.',
  })
  expect(command('task list').refusals({ where: 'state:faild' })).toEqual({
    where: expect.stringContaining("'state:faild': a state is one of pending") as string,
  })
  expect(command('task list').refusals({ where: 'state:failed' })).toEqual({})
  expect(command('task list').refusals({})).toEqual({})
  await expect(command('task retry').run({ id: '7' })).rejects.toMatchObject({ code: 'not_found' })
  expect(await tasks()).toEqual([])
})

test('a command that fails by its exit code gives no receipt, and its own output is shown', async () => {
  const { core } = await openTerminal()
  const readRawOutput = (_: string, { offset }: { offset: number }) =>
    Promise.resolve({ text: 'raw 1\nraw 2\n'.slice(offset), next: 12 })
  const connection = { core, actor: person, outside: { carryOut: () => Promise.resolve(), readRawOutput } as never }
  const services = {
    version: '0',
    repositoryRoot: () => Promise.resolve(core.root),
    fileLock: () => Promise.resolve((_: string, act: () => unknown) => act()),
  }
  const offered = commandsForConsole(connection, services as never, {})
  const command = (path: string) => offered.find((one) => one.path === path)!
  await expect(command('memory observation').run({ agent: 'dev' })).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'observation text required',
  })
  expect(await command('memory observation').run({ agent: 'dev', words: 'Odd' })).toContain(
    'Observation persisted for dev',
  )
  await perform(core, registerAgent, { id: 'dev', personaId: 'tester' }, person)
  expect(await command('agent logs').run({ id: 'dev', raw: 'yes' })).toBe('raw 1\nraw 2')
})

test('a command that asks at a terminal does not run from the console', async () => {
  const { command } = await openConsole()
  await expect(command('worktree discard').run({ name: 'x', reason: 'y' })).rejects.toMatchObject({
    name: expect.any(String) as string,
  })
})

test('only commands that delete, merge or answer for a person ask first', async () => {
  const { offered, command } = await openConsole()
  const asks = (values: Readonly<Record<string, string>>) =>
    offered.filter(({ destroys }) => destroys(values)).map(({ path }) => path)
  const always = [
    'agent deregister',
    'agent terminate',
    'checkout accept',
    'db copy',
    'db restore',
    'fleet init',
    'fleet remote',
    'fleet restored',
    'fleet snapshots',
    'host forget',
    'host lost',
    'memory compress',
    'memory delete',
    'request answer',
    'session end',
    'target accept',
    'target put-back',
    'task cancel',
    'worktree approve',
    'worktree discard',
    'worktree reject',
    'worktree sweep',
    'worktree trust',
  ]
  expect(asks({}).sort()).toEqual(always)
  expect(asks({ id: '1', name: 'x', path: 'y', summary: 'z', where: 'w', again: '', stop: '' }).sort()).toEqual(always)
  for (const answer of ['again', 'raise', 'raiseTokens', 'none', 'stop']) {
    expect(asks({ [answer]: '2' }).filter((path) => !always.includes(path))).toEqual([
      ...(answer === 'stop' ? ['task race'] : []),
      'task budget',
      'session budget',
    ])
  }
  expect(command('session report').destroys({ session: 's', force: 'yes' })).toBe(true)
})

test('no command performs a grave operation without being marked as destructive', () => {
  const grave = sources
    .filter(({ layer }) => layer === 'operations')
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export const (\w+) = operation\(\{$((?:\n(?!\}\)).*)*)/gm)]
        .filter(([, , body]) => /^ {2}grave: true/m.test(body!))
        .map(([, name]) => `${path} ${name!}`),
    )
  expect(grave.length).toBeGreaterThan(8)
  const performing = sources
    .filter(({ layer }) => layer === 'cli')
    .filter((source) => grave.some((operation) => importedBy([source]).has(operation)))
    .map(({ path }) => path.slice('src/cli/'.length))
  // Each of them is a row above, or is run by such a row.
  expect(performing.sort()).toEqual([
    'commands/agent.ts',
    'commands/cost.ts',
    'commands/fleet.ts',
    'commands/request.ts',
    'commands/session.ts',
    'commands/task.ts',
    'commands/worktree.ts',
    'verbs/fleet.ts',
    'verbs/foreign-changes.ts',
    'verbs/integrations.ts',
    'verbs/races.ts',
    'verbs/worktrees.ts',
  ])
})

test('the line of every command, parsed by a shell and by the program, contains the filled-in values', async () => {
  const { offered } = await openConsole()
  const value = fc
    .string({ unit: fc.constantFrom(...`ab1 -'"$\\;é`), minLength: 1, maxLength: 6 })
    .filter((text) => text.trim() === text)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...offered),
      fc.array(value, { minLength: 20, maxLength: 20 }),
      async (command, texts) => {
        const values: Record<string, string> = {}
        command.words.forEach((word, at) => {
          const text = texts[at % texts.length]!
          values[word.key] =
            word.kind === 'flag'
              ? 'yes'
              : word.kind === 'choice'
                ? word.choices[0]!
                : word.kind === 'number'
                  ? '7'
                  : word.repeated
                    ? shellLine([text])
                    : text
        })
        // A value that its own option refuses does not concern the line.
        if (Object.values(command.refusals(values)).some((sentence) => /expected|needed/.test(sentence))) return
        const line = shellLine(command.line(values))
        const argv = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
          .split('\0')
          .slice(1, -1)
        let read: Readonly<Record<string, unknown>> = {}
        await buildProgram(commands, quiet, '0', (found, words) => {
          expect(found.path).toBe(command.path)
          read = words
          return Promise.resolve()
        }).parseAsync([...argv], { from: 'user' })
        for (const word of command.words) {
          if (word.kind === 'flag') expect(read[word.key]).toBe(true)
          else if (word.form === 'JSON') expect(read[word.key]).toEqual(JSON.parse(values[word.key]!))
          else if (word.kind === 'text' && !word.repeated && typeof read[word.key] === 'string')
            expect(read[word.key]).toBe(values[word.key])
          else if (word.kind === 'number') expect(read[word.key]).toBe(7)
        }
      },
    ),
    { numRuns: 120 },
  )
})

test('a console of another repository names that repository in the line, before the arguments', async () => {
  const { core } = await openTerminal()
  const connection = { core, actor: person, outside: { carryOut: () => Promise.resolve() } as never }
  const [there, here] = ['/else where', undefined].map((root) =>
    commandsForConsole(connection, { version: '0' } as never, {}, root).find(({ path }) => path === 'task cancel')!,
  )
  expect(shellLine(there!.line({ id: '7', reason: 'no' }))).toBe(
    "aiswarm task cancel --reason no --root '/else where' 7",
  )
  expect(shellLine(here!.line({ id: '7' }))).toBe('aiswarm task cancel 7')
})
