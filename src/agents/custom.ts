import type { McpServer } from '@agentclientprotocol/sdk'
import type { CustomKind } from '../domain/settings/agent-settings.ts'
import { acpTalk, type Differences, openingOf } from './acp/conversation.ts'
import { acpDetails, acpReader } from './acp/lines.ts'
import { readStream, stream } from './claude.ts'
import type { AgentKind, Brief } from './kind/kind.ts'
import { otherServers } from './kind/other-servers.ts'
import { mcpPromptFor, promptFor } from './kind/prompts.ts'
import { endingOf } from './reading/errors.ts'
import { messageDetails } from './reading/message-stream.ts'

/** A kind that the configuration defines: a command line with placeholders for the prompt and its context. */
export const custom = (
  name: string,
  { command, prompt: given, env, files, errors, protocol, terminal }: CustomKind,
): AgentKind => ({
  name,
  exitDecides: false,
  passes: [],
  unconfined: 'aiswarm does not know where its login is stored; list that in sandbox.write',
  files,
  ...(terminal === undefined
    ? {}
    : { terminal: (session: string) => terminal.map((part) => part.replaceAll('{session}', session)) }),
  ending: endingOf(errors ?? { limited: [], unauthorized: [] }),
  ...(protocol === 'acp' || protocol === 'stream-json'
    ? {}
    : { unasked: 'It cannot ask aiswarm: its own configuration decides what it may do.' }),
  ...spokenBy[protocol ?? 'headless'],
  launch: (brief) => {
    const way = protocol === 'stream-json' || protocol === 'acp' ? 'stdin' : given
    const prompt = protocol === 'acp' ? mcpPromptFor(brief) : promptFor(brief)
    // Each element of the template stays one argument, whatever the prompt contains; no shell parses it.
    const argv = command.map((part) => fill(part, brief, prompt))
    return {
      argv: way === 'argv' && !command.some((part) => part.includes('{prompt}')) ? [...argv, prompt] : argv,
      stdin: way === 'stdin' ? prompt : null,
      files:
        way === 'file' || command.some((part) => part.includes('{promptFile}'))
          ? [{ path: brief.promptFile, content: prompt }]
          : [],
      environment: env,
      ...(protocol === 'acp'
        ? { opening: openingOf(plain, brief, { mcpServers: serversOf(brief), modes: plain.modes, strict: false }) }
        : {}),
    }
  },
})

/** Any other agent: what the protocol promises. */
export const plain: Differences = { modes: ['default'], patience: 5000 }

const spokenBy: Readonly<
  Record<NonNullable<CustomKind['protocol']>, Pick<AgentKind, 'talk' | 'read' | 'resumes' | 'details'>>
> = {
  headless: {},
  'app-server': {},
  'stream-json': { talk: stream, read: readStream, details: messageDetails },
  acp: { talk: acpTalk(plain), read: acpReader(plain), details: acpDetails(false), resumes: true },
}

/** An ACP agent gets its servers with the session: it needs no configuration of its own. */
const serversOf = ({ server, ...brief }: Brief): readonly McpServer[] => [
  { name: server.name, command: server.command, args: [...server.args], env: namedValues(server.environment) },
  ...Object.entries(otherServers(brief).given).map(([name, given]): McpServer =>
    'url' in given
      ? { type: 'http', name, url: given.url, headers: namedValues(given.headers) }
      : { name, command: given.command, args: [...given.args], env: namedValues(given.env) },
  ),
]

const namedValues = (values: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

const fill = (part: string, brief: Brief, prompt: string): string => {
  const values: Record<string, string> = {
    prompt,
    promptFile: brief.promptFile,
    worktree: brief.folder,
    agentId: brief.agentId,
    taskId: String(brief.task.id),
  }
  // One pass, so that a value is never searched for placeholders.
  return part.replace(/\{(prompt|promptFile|worktree|agentId|taskId)\}/g, (_, name: string) => values[name]!)
}
