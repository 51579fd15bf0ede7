import { join } from 'node:path'
import type { McpServer } from '../domain/settings.ts'
import { fields, objectOf } from './json-line.ts'
import type { Brief } from './kind.ts'

// MCP servers beside ours: those that the person configured for a CLI, and those that the configuration gives a persona.

export interface OtherServers {
  /** The person's own servers for this CLI, by name; their configurations where the kind has to pass them on. */
  readonly own: Readonly<Record<string, unknown>>
  /** False where an agent of this persona gets none of them. */
  readonly keepsOwn: boolean
  /** What the configuration gives the persona. */
  readonly given: Readonly<Record<string, McpServer>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where a CLI keeps the person's own servers. */
export interface OwnServers {
  readonly path: (environment: Environment) => string
  /** The servers in the text of that file that hold in this repository. Never throws. */
  readonly read: (text: string, root: string) => Readonly<Record<string, unknown>>
}

export const otherServers = ({ servers }: Brief): OtherServers => servers ?? { own: {}, keepsOwn: true, given: {} }

/** Names of the person's servers that an agent is not to have. */
export const unwanted = (brief: Brief): readonly string[] => {
  const { own, keepsOwn, given } = otherServers(brief)
  return keepsOwn ? [] : Object.keys(own).filter((name) => name !== brief.server.name && !Object.hasOwn(given, name))
}

const home = (environment: Environment): string => environment['HOME'] ?? ''

/** Claude Code: those for everywhere, and those for this repository; `.mcp.json` belongs to the repository and is none of the person's. */
export const claudeServers: OwnServers = {
  path: (environment) => join(environment['CLAUDE_CONFIG_DIR'] ?? home(environment), '.claude.json'),
  read: (text, root) => {
    const settings = fields(objectOf(text))
    return { ...fields(settings.mcpServers), ...fields(fields(fields(settings.projects)[root]).mcpServers) }
  },
}

/** Codex: the tables of its configuration, by their headings. */
export const codexServers: OwnServers = {
  path: (environment) => join(environment['CODEX_HOME'] ?? join(home(environment), '.codex'), 'config.toml'),
  read: (text) => Object.fromEntries([...text.matchAll(/^\s*\[mcp_servers\.(?:"([^"\n]+)"|([\w-]+))(?:\.[^\]\n]*)?\]/gm)].map(([, quoted, bare]) => [quoted ?? bare!, {}])),
}

export const copilotServers: OwnServers = {
  path: (environment) => join(environment['COPILOT_HOME'] ?? join(home(environment), '.copilot'), 'mcp-config.json'),
  read: (text) => fields(fields(objectOf(text)).mcpServers),
}

export const opencodeServers: OwnServers = {
  path: (environment) => environment['OPENCODE_CONFIG'] ?? join(environment['XDG_CONFIG_HOME'] ?? join(home(environment), '.config'), 'opencode', 'opencode.json'),
  read: (text) => fields(fields(objectOf(text)).mcp),
}
