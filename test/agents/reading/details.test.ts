import { describe, expect, it } from 'vitest'
import { codexDetails } from '../../../src/agents/codex/lines.ts'
import { copilotDetails } from '../../../src/agents/copilot.ts'
import { geminiDetails } from '../../../src/agents/gemini.ts'
import type { Detail } from '../../../src/agents/reading/reading.ts'
import { opencodeDetails } from '../../../src/agents/opencode.ts'
import { messageDetails } from '../../../src/agents/reading/message-stream.ts'

type Read = (line: string) => readonly Detail[]

const assistant = (...content: readonly unknown[]) => ({ type: 'assistant', message: { content } })
const user = (...content: readonly unknown[]) => ({ type: 'user', message: { content } })

describe('the details of a line', () => {
  it.each<[string, Read, unknown, readonly unknown[]]>([
    [
      'are the commands of Claude Code',
      messageDetails,
      assistant({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }),
      [{ kind: 'input', call: 't1', command: 'npm test', edits: [] }],
    ],
    [
      'are the edits of Claude Code',
      messageDetails,
      assistant({
        type: 'tool_use',
        id: 't1',
        name: 'Edit',
        input: { file_path: 'a.ts', old_string: 'one', new_string: 'two' },
      }),
      [{ kind: 'input', call: 't1', command: null, edits: [{ path: 'a.ts', before: 'one', after: 'two' }] }],
    ],
    [
      'are several edits of one file',
      messageDetails,
      assistant({
        type: 'tool_use',
        id: 't1',
        name: 'MultiEdit',
        input: {
          file_path: 'a.ts',
          edits: [
            { old_string: 'one', new_string: 'two' },
            { old_string: 'three', new_string: '' },
          ],
        },
      }),
      [
        {
          kind: 'input',
          call: 't1',
          command: null,
          edits: [
            { path: 'a.ts', before: 'one', after: 'two' },
            { path: 'a.ts', before: 'three', after: '' },
          ],
        },
      ],
    ],
    [
      'are the thoughts of a model',
      messageDetails,
      assistant({ type: 'thinking', thinking: 'Look first.' }),
      [{ kind: 'thought', text: 'Look first.' }],
    ],
    [
      'are the steps of a plan',
      messageDetails,
      assistant({
        type: 'tool_use',
        id: 't1',
        name: 'TodoWrite',
        input: {
          todos: [
            { content: 'Read', status: 'completed' },
            { content: 'Write', status: 'in_progress' },
          ],
        },
      }),
      [
        {
          kind: 'plan',
          steps: [
            { text: 'Read', state: 'done' },
            { text: 'Write', state: 'doing' },
          ],
        },
      ],
    ],
    [
      'are the results of tools, as text or in parts',
      messageDetails,
      user(
        { type: 'tool_result', tool_use_id: 't1', content: '3 passed' },
        { type: 'tool_result', tool_use_id: 't2', is_error: true, content: [{ type: 'text', text: 'no such file' }] },
      ),
      [
        { kind: 'result', call: 't1', text: '3 passed', failed: false },
        { kind: 'result', call: 't2', text: 'no such file', failed: true },
      ],
    ],
    [
      'are not the messages that Claude Code repeats',
      messageDetails,
      { ...user({ type: 'tool_result', tool_use_id: 't1', content: 'x' }), isReplay: true },
      [],
    ],
    [
      'are the output of a command of Codex',
      codexDetails,
      {
        type: 'item.completed',
        item: { id: 'i1', type: 'command_execution', aggregated_output: 'ok', status: 'completed' },
      },
      [{ kind: 'result', call: 'i1', text: 'ok', failed: false }],
    ],
    [
      'are the parameters of a tool of Gemini',
      geminiDetails,
      { type: 'tool_use', tool_id: 'g1', parameters: { file_path: 'a.ts', content: 'new' } },
      [{ kind: 'input', call: 'g1', command: null, edits: [{ path: 'a.ts', before: '', after: 'new' }] }],
    ],
    [
      'are the input and the output of a call of OpenCode',
      opencodeDetails,
      { type: 'tool_use', part: { callID: 'o1', state: { input: { command: 'ls' }, output: 'a.ts' } } },
      [
        { kind: 'input', call: 'o1', command: 'ls', edits: [] },
        { kind: 'result', call: 'o1', text: 'a.ts', failed: false },
      ],
    ],
    [
      'are the error of a tool of Copilot',
      copilotDetails,
      { type: 'tool.execution_complete', data: { toolCallId: 'c1', success: false, error: { message: 'no' } } },
      [{ kind: 'result', call: 'c1', text: 'no', failed: true }],
    ],
  ])('%s', (_, read, message, expected) => {
    expect(read(JSON.stringify(message))).toEqual(expected)
  })

  it.each([messageDetails, codexDetails, geminiDetails, opencodeDetails, copilotDetails])(
    'are none for half a line or another value (%#)',
    (read) => {
      for (const line of ['', '{', '{"type":"assistant","mess', 'null', '[1]', '{"type":"user"}', '{"item":7}'])
        expect(read(line)).toEqual([])
    },
  )
})
