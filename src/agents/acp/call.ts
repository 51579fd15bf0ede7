import { type Fields, fields, list, text } from '../kind/json-line.ts'
import { SERVER_NAME } from '../kind/server-config.ts'

// A call of a tool in terms common to all CLIs, from what an ACP agent says about it.

export interface Call {
  /** `shell` and `edit` for what the rules of permissions know; any other tool by the CLI's name. */
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** The command, the file, or the name of the tool, in one line. */
  readonly about: string
}

/** The call in a `toolCall` or an update of one. `titled`: the title of a command is the exact command. */
export const callOf = (call: Fields, titled: boolean): Call => {
  switch (call.kind) {
    case 'execute':
      return commandOf(call, titled)
    case 'edit':
    case 'delete':
    case 'move':
      return editOf(call)
    default: {
      const tool = toolOf(call)
      const raw = fields(call.rawInput)
      return { tool, input: Object.keys(raw).length > 0 ? raw : shown(call), about: text(call.title) }
    }
  }
}

/** A title could be shorter than the command, and a rule for commands could allow it: the tool is unknown then. */
const commandOf = (call: Fields, titled: boolean): Call => {
  const raw = fields(call.rawInput)
  const command = text(raw.command) || (titled ? text(call.title) : '')
  return command === ''
    ? { tool: text(call.title) || 'execute', input: { ...raw, ...shown(call) }, about: text(call.title) }
    : { tool: 'shell', input: { command, ...(text(raw.cwd) === '' ? {} : { cwd: text(raw.cwd) }) }, about: command }
}

/** Only an edit of exactly one file names it, so that rules for edits never cover a second one. */
const editOf = (call: Fields): Call => {
  const diffs = list(call.content).filter((part) => part.type === 'diff')
  const raw = fields(call.rawInput)
  const paths = [
    ...new Set(
      [
        ...list(call.locations).map(({ path }) => text(path)),
        ...diffs.map(({ path }) => text(path)),
        ...Object.entries(raw).flatMap(([key, value]) => (/^(?:file_?)?path$/i.test(key) ? text(value) : [])),
      ].filter(Boolean),
    ),
  ]
  const absolute = paths.filter((path) => path.startsWith('/'))
  // A relative name of the same file is not another file.
  const files = paths.filter((path) => path.startsWith('/') || !absolute.some((one) => one.endsWith(`/${path}`)))
  const verb = call.kind === 'edit' ? {} : { action: text(call.kind) }
  if (files.length !== 1 || diffs.length > 1)
    return {
      tool: 'edit',
      input: { ...verb, files, passed: raw, ...shown(call) },
      about: files.join(' ') || text(call.title),
    }
  const [diff] = diffs
  return {
    tool: 'edit',
    input: {
      file_path: files[0]!,
      ...verb,
      ...(diff ? { old_string: text(diff.oldText), new_string: text(diff.newText) } : raw),
    },
    about: files[0]!,
  }
}

const shown = (call: Fields): Readonly<Record<string, unknown>> => ({
  title: text(call.title),
  ...(call.content === undefined ? {} : { content: call.content }),
})

/** Gemini names the server after the tool: `get_next_task (aiswarm MCP Server)`. */
const toolOf = (call: Fields): string => {
  const title = text(call.title)
  const [, tool, server] = /^([\w-]+) \(([\w-]+) MCP Server\)$/.exec(title) ?? []
  return tool !== undefined ? `mcp__${server!}__${tool}` : text(fields(call._meta).toolName) || title || 'a tool'
}

const ownTool = new RegExp(`^(?:mcp__)?${SERVER_NAME}(?:__|_|-|/|\\.)[a-z_]+$`)

/** True for a tool of our server: it is not the agent that needs a permission for it. */
export const isOwnTool = (call: Fields): boolean =>
  !['execute', 'edit', 'delete', 'move', 'fetch'].includes(text(call.kind)) && ownTool.test(toolOf(call))
