import type { CustomKind } from '../domain/settings/agent-settings.ts'
import { readStream, stream } from './claude/stream.ts'
import { messageDetails } from './reading/message-details.ts'
import { endingOf } from './reading/ending.ts'
import type { AgentKind, Brief } from './kind/kind.ts'
import { promptFor } from './prompts/prompt.ts'

/** A kind that the configuration defines: a command line with placeholders for the prompt and its context. */
export const custom = (
  name: string,
  { command, prompt: given, env, files, errors, protocol }: CustomKind,
): AgentKind => ({
  name,
  exitDecides: false,
  passes: [],
  files,
  ending: endingOf(errors ?? { limited: [], unauthorized: [] }),
  ...(protocol === 'stream-json' ? { talk: stream, read: readStream, details: messageDetails } : {}),
  launch: (brief) => {
    const way = protocol === 'stream-json' ? 'stdin' : given
    const prompt = promptFor(brief)
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
    }
  },
})

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
