import { COMMAND_KIND } from '../domain/task/startable.ts'
import type { AgentKind } from './kind/kind.ts'

/** Runs a task's own shell command, without any agent CLI; useful for tests, formatters and codemods. */
export const command: AgentKind = {
  name: COMMAND_KIND,
  exitDecides: true,
  // It runs a branch's code, so it gets the same variables: those of every agent, and `integration.pass`.
  passes: [],
  terminal: 'A shell command has no conversation.',
  launch: ({ task }) => ({
    argv: ['/bin/sh', '-c', task.command ?? 'exit 64'],
    stdin: null,
    files: [],
    environment: {},
  }),
}
