import type { Brief, Launch } from './kind.ts'
import { otherServers } from './other-servers.ts'

/**
 * The form that most CLIs read: `{"mcpServers": {name: {command, args, env}}}`, with the additional fields of one of
 * them.
 */
export const serverConfig = (
  brief: Brief,
  more: Readonly<Record<string, unknown>> = {},
): { readonly mcpServers: Readonly<Record<string, unknown>> } => ({
  mcpServers: { ...otherServers(brief).given, ...ours(brief, more) },
})

const ours = ({ server }: Brief, more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  [server.name]: { command: server.command, args: server.args, env: server.environment, ...more },
})

/** The name of our server in every CLI, without `_`, because some join tool names with it and split them again. */
export const SERVER_NAME = 'aiswarm'

/** A file of the run. */
export const jsonFile = (path: string, content: unknown): Launch['files'][number] => ({
  path,
  content: `${JSON.stringify(content, null, 2)}\n`,
})

/**
 * Gemini and Qwen attach a file that a prompt names after an `@`. This cannot be disabled, but the search of the whole
 * worktree for similar names can.
 */
export const NO_GUESSING = { enableRecursiveFileSearch: false }

/** The time limit of a call to our server: a person may take any time to answer, and the server ends the wait. */
export const TOOL_TIMEOUT = 3_600_000

/** The time limit for the start of our server on a busy machine. */
export const START_TIMEOUT = 20_000

/** The option for a CLI that accepts a list of allowed servers. */
export const onlyOurs = (brief: Brief): readonly string[] =>
  otherServers(brief).keepsOwn ? [] : ['--allowed-mcp-server-names', brief.server.name]
