import { COMMAND_KIND } from '../domain/schedule.ts'
import type { AgentKind } from './kind.ts'

/** Runs a task's own shell command: needs nothing installed, and useful for tests, formatters and codemods. */
export const command: AgentKind = {
  name: COMMAND_KIND,
  exitDecides: true,
  // It runs code of a branch, so it gets what that gets: what every agent has, and `integration.pass`.
  passes: [],
  launch: ({ task }) => ({ argv: ['/bin/sh', '-c', task.command ?? 'exit 64'], stdin: null, files: [], environment: {} }),
}
