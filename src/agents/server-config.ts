import type { Brief, Launch } from './kind.ts'
import { otherServers } from './other-servers.ts'

/** The form that most CLIs read: `{"mcpServers": {name: {command, args, env}}}`, with what one of them wants besides. */
export const serverConfig = (brief: Brief, more: Readonly<Record<string, unknown>> = {}): { readonly mcpServers: Readonly<Record<string, unknown>> } => ({
  mcpServers: { ...otherServers(brief).given, ...ours(brief, more) },
})

const ours = ({ server }: Brief, more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  [server.name]: { command: server.command, args: server.args, env: server.environment, ...more },
})

/** What our server is called in every CLI. No `_`: some make the names of tools with it and take them apart again. */
export const SERVER_NAME = 'aiswarm'

/** A file of the run. */
export const jsonFile = (path: string, content: unknown): Launch['files'][number] => ({ path, content: `${JSON.stringify(content, null, 2)}\n` })

/**
 * Gemini and Qwen attach a file that a prompt names after an `@`. They cannot be kept from it, but from looking all over
 * the worktree for something like it.
 */
export const NO_GUESSING = { enableRecursiveFileSearch: false }

/** How long a call of our server may take: a person may be asked for as long as they like, and the server ends the wait. */
export const TOOL_TIMEOUT = 3_600_000

/** How long our server may take to come up on a busy machine. */
export const START_TIMEOUT = 20_000

/** For a CLI that can be told which servers it may use. */
export const onlyOurs = (brief: Brief): readonly string[] => (otherServers(brief).keepsOwn ? [] : ['--allowed-mcp-server-names', brief.server.name])
