import { join } from 'node:path'
import type { McpServer } from '../../domain/settings/agent-settings.ts'
import { fields, objectOf } from './json-line.ts'

// Additional MCP servers: those that the person configured for a CLI, and those in a persona's configuration.

export interface OtherServers {
  /** The person's own servers for this CLI, by name, with their configurations if the kind must pass them on. */
  readonly own: Readonly<Record<string, unknown>>
  /** False if an agent of this persona gets none of them. */
  readonly keepsOwn: boolean
  /** The servers in the persona's configuration. */
  readonly given: Readonly<Record<string, McpServer>>
}

/** The part of a brief that says which servers an agent has. */
interface Given {
  readonly servers?: OtherServers
}

type Environment = Readonly<Record<string, string | undefined>>

/** The file in which a CLI stores the person's own servers. */
export interface OwnServers {
  readonly path: (environment: Environment) => string
  /** The servers in that file's text that apply to this repository. Never throws. */
  readonly read: (text: string, root: string) => Readonly<Record<string, unknown>>
}

export const otherServers = ({ servers }: Given): OtherServers => servers ?? { own: {}, keepsOwn: true, given: {} }

/** Names of the person's servers that an agent must not have. */
export const unwanted = (brief: Given & { readonly server: { readonly name: string } }): readonly string[] => {
  const { own, keepsOwn, given } = otherServers(brief)
  return keepsOwn ? [] : Object.keys(own).filter((name) => name !== brief.server.name && !Object.hasOwn(given, name))
}

const home = (environment: Environment): string => environment['HOME'] ?? ''

/**
 * Claude Code: the global servers and those for this repository; `.mcp.json` belongs to the repository, not to the
 * person.
 */
export const claudeServers: OwnServers = {
  path: (environment) => join(environment['CLAUDE_CONFIG_DIR'] ?? home(environment), '.claude.json'),
  read: (text, root) => {
    const settings = fields(objectOf(text))
    return { ...fields(settings.mcpServers), ...fields(fields(fields(settings.projects)[root]).mcpServers) }
  },
}

/** Codex: the tables of its configuration, by their headings; of their lines only what starts a program. */
export const codexServers: OwnServers = {
  path: (environment) => join(environment['CODEX_HOME'] ?? join(home(environment), '.codex'), 'config.toml'),
  read: (text) =>
    Object.fromEntries(
      [
        ...text.matchAll(
          /^\s*\[mcp_servers\.(?:"([^"\n]+)"|([\w-]+))(?:\.[^\]\n]*)?\]([^\n]*(?:\n(?!\s*\[[\w"])[^\n]*)*)/gm,
        ),
      ]
        .map(([, quoted, bare, lines]) => [quoted ?? bare!, startOf(lines!)] as const)
        // A table below that of a server, such as its environment, starts nothing.
        .sort(([, a], [, b]) => Object.keys(a).length - Object.keys(b).length),
    ),
}

/** Strings and arrays of strings are the same in JSON. */
const startOf = (lines: string): { readonly command?: unknown; readonly args?: unknown } => {
  const value = (key: string, form: string): unknown => {
    const [, found] = new RegExp(`^\\s*${key}\\s*=\\s*(${form})`, 'm').exec(lines) ?? []
    return found === undefined ? undefined : (objectOf(`{"value": ${found}}`) ?? {})['value']
  }
  const [command, args] = [value('command', '"(?:[^"\\\\]|\\\\.)*"'), value('args', '\\[[^\\]]*\\]')]
  return command === undefined ? {} : { command, ...(args === undefined ? {} : { args }) }
}

export const copilotServers: OwnServers = {
  path: (environment) => join(environment['COPILOT_HOME'] ?? join(home(environment), '.copilot'), 'mcp-config.json'),
  read: (text) => fields(fields(objectOf(text)).mcpServers),
}

export const opencodeServers: OwnServers = {
  path: (environment) =>
    environment['OPENCODE_CONFIG'] ??
    join(environment['XDG_CONFIG_HOME'] ?? join(home(environment), '.config'), 'opencode', 'opencode.json'),
  read: (text) => fields(fields(objectOf(text)).mcp),
}

const inSettings = (folder: string): OwnServers => ({
  path: (environment) => join(home(environment), folder, 'settings.json'),
  read: (text) => fields(fields(objectOf(text)).mcpServers),
})

/** The files with the person's servers, by the kinds of agents that read them. */
const serverFiles: Readonly<Record<string, OwnServers>> = {
  claude: claudeServers,
  codex: codexServers,
  gemini: inSettings('.gemini'),
  qwen: inSettings('.qwen'),
  opencode: opencodeServers,
  copilot: copilotServers,
}

/** The words that start each of the person's own servers for a kind, by name. `read` gives the text of a file, if it has one. */
export const configuredServers = (
  kind: string,
  environment: Environment,
  root: string,
  read: (path: string) => string | undefined,
): Readonly<Record<string, readonly string[]>> => {
  const file = Object.hasOwn(serverFiles, kind) ? serverFiles[kind]! : undefined
  const servers = file?.read(read(file.path(environment)) ?? '', root) ?? {}
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]) => {
      const { command, args } = fields(server)
      const words = [command, args].flat().filter((word): word is string => typeof word === 'string')
      return words.length === 0 ? [] : [[name, words] as const]
    }),
  )
}
