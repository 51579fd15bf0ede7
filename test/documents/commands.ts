import { type Command, exitCodes, nouns } from '../../src/cli/call/command.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { usage } from '../../src/cli/call/words.ts'
import { code, table } from './tables.ts'

/** `aiswarm task list [--status S]` */
export const commandLine = (command: Command): string =>
  ['aiswarm', command.path, ...Object.values(command.words).map(usage)].join(' ')

/** The meaning of an exit code for a script. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  refused: 'refused, or failed',
  usage: 'wrong usage',
  unsettled:
    '`run --until-idle` ended with failed or waiting tasks, or `host drain --wait` with agents or unpushed commits left',
  bug: 'a bug in aiswarm',
}

/** Environment variables that the program reads or sets. */
export const environmentVariables: Readonly<Record<string, string>> = {
  AISWARM_ROOT: 'The repository to work on, where `--root` is not given.',
  AISWARM_AGENT_ID: 'Id of the agent that calls; aiswarm sets it for every agent that it starts.',
  AISWARM_AGENT_TOKEN: 'Token of that agent, as `agent register` prints it.',
  AISWARM_MCP_TOKEN: 'Token that `mcp --http` requires; without it aiswarm creates one and prints it.',
  AISWARM_STORE: 'Address of PostgreSQL that has the board, before `.aiswarm/store.yaml`.',
  AISWARM_SANDBOX: '`off`: `sandbox.mode: auto` confines nothing.',
  AISWARM_MAX_LOAD: '`off`: this host takes new work however busy its machine is (`fleet.maxLoad`, memory).',
  AISWARM_PORT: 'Set in worktrees: the port that the worktree leases.',
  AISWARM_EVENT: 'Set for hooks: the name of the event.',
  AISWARM_NOTICE: 'Set for `notify.command`: the text of the notification.',
  MEMORY_USER_ID: 'User whose conversations and executions are read and written.',
  VISUAL: 'Editor of the key e, before EDITOR; else vi.',
  EDITOR: 'Editor of the key e.',
  SHELL: 'Shell of the key o; else /bin/sh.',
  NO_COLOR: 'Any value: no colours.',
  INK_SCREEN_READER: '`1` or `true`: the panes are sentences.',
  ESCDELAY: 'Milliseconds that a lone Esc waits for the rest of a key; 20, over SSH 150.',
}

export const commandTables = (): string =>
  groupsOf()
    .map(
      ([title, rows]) =>
        `### ${title}\n\n${table(
          ['command', 'what it does'],
          rows.map((command) => [code(commandLine(command)), command.summary]),
        )}`,
    )
    .join('\n\n')

/** The commands by their first word, in the order of the table; commands without a group first. */
const groupsOf = (): readonly (readonly [title: string, rows: readonly Command[]])[] => {
  const groups = Map.groupBy(commands, ({ path }) =>
    path.includes(' ') || Object.hasOwn(nouns, path) ? path.split(' ')[0]! : '',
  )
  return [...groups]
    .sort(([a], [b]) => Number(b === '') - Number(a === ''))
    .map(([noun, rows]) => [noun === '' ? 'aiswarm' : code(`aiswarm ${noun}`), rows])
}

export const exitCodeTable = (): string =>
  table(
    ['code', 'meaning'],
    Object.entries(exitCodes).map(([name, number]) => [
      String(number),
      exitCodeMeanings[name as keyof typeof exitCodes],
    ]),
  )

export const environmentTable = (): string =>
  table(
    ['variable', 'meaning'],
    Object.entries(environmentVariables).map(([name, meaning]) => [code(name), meaning]),
  )
