import { test } from 'vitest'
import { openTalk } from './talking.ts'
import { enter, escape, generous, right, tab } from './pty.ts'

const tool = (id: string, name: string, input: object) => ({
  print: { type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] }, parent_tool_use_id: null },
})
const result = (id: string, content: string, failed = false) => ({
  print: { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: failed }] } },
})

test(
  'a person follows an agent on 80×24, denies with words, allows, steers and stops its turn in the conversation',
  generous,
  async (context) => {
    const { shop, tell, heard } = openTalk(context, [
      [
        { say: 'I begin with the tax.' },
        tool('t1', 'Edit', { file_path: 'tax.ts', old_string: 'rate = 0.19\n', new_string: 'rate = 0.2\nround = 2\n' }),
        result('t1', 'The file has been updated'),
        tool('t2', 'Bash', { command: 'npm test' }),
        result('t2', 'two of the three tests failed', true),
        { ask: { tool: 'Bash', input: { command: 'rm -rf build' } } },
        { ask: { tool: 'Bash', input: { command: 'npm run clean' } } },
        { until: 'go' },
        { say: 'I go on.' },
        { until: 'never' },
      ],
      [{ say: 'I tidy up.' }, { until: 'end' }],
    ])
    await shop.answer('task', 'add', 'Sell more', '--persona', 'implementer')
    const screen = await shop.console({ columns: 80, rows: 24 })
    await screen.until(/◐ claimed .*implementer-1/)
    screen.press('c')
    await screen.until(
      /Task 1 · following[^]*I begin with the tax\.[^]*✓ Edit tax\.ts · \+2 −1[^]*✗ Bash npm test · failed/,
    )

    // Folded, a call is one row; unfolded, it shows its change.
    await screen.until(/▸\? asks Bash rm -rf build: waiting for you/)
    screen.press('[')
    await screen.until(/▸✗ Bash npm test/)
    screen.press('[')
    await screen.until(/▸✓ Edit/)
    screen.press(enter)
    await screen.until(/- rate = 0\.19[^]*\+ rate = 0\.2[^]*\+ round = 2/)
    screen.press(enter)
    await screen.lacks('round = 2')

    // A question is answered where it is asked.
    screen.press('G')
    await screen.until(/▸\? asks/)
    screen.press(enter)
    await screen.until(/y allow once {3}n deny {3}N in words/)
    screen.press('N')
    await screen.until('what the agent should do instead')
    screen.press('Keep the build.')
    screen.press(enter)
    await screen.until(
      /rm -rf build: denied by human ‘Keep the build\.’[^]*\? asks Bash npm run clean: waiting for you/,
    )
    await screen.until(/Task 1 · following/)
    screen.press(enter)
    await screen.until('y allow once')
    screen.press('y')
    await screen.until(/npm run clean: allowed by human[^]*allowed Bash/)

    // A message shows its receipt.
    screen.press('M')
    await screen.until('Say to implementer-1')
    screen.press('Mind the rounding.')
    screen.press(enter)
    await screen.until(/human, now: handed over[^]*Mind the rounding\./)
    tell('go')
    await screen.until(/human, now: seen[^]*Mind the rounding\.[^]*I go on\./)

    // A stop ends the turn and keeps the run.
    screen.press('M')
    await screen.until('Say to implementer-1')
    screen.press('Tidy up.')
    screen.press(tab)
    screen.press(`${right}`)
    screen.press(`${right}`)
    await screen.until(/When +◂ stop the turn first/)
    screen.press(enter)
    await screen.until(/Stop the turn\.[^]*Tidy up\.[^]*I tidy up\./)
    context.expect(heard().slice(1)).toEqual(['Mind the rounding.', 'Tidy up.'])
    context.expect(await shop.answer('agent', 'show', 'implementer-1')).toMatchObject({ run: 1, process: 'started' })

    // The search finds what is folded, and unfolds it.
    screen.press('/')
    await screen.until('nearest earlier match')
    screen.press('two of the three')
    screen.press(enter)
    await screen.until(/▸✗ Bash npm test[^]*two of the three tests failed/)
    screen.press('C')
    await screen.until('Copied 2 lines.')
    screen.press(escape)
    await screen.until('1 Board')
  },
)

test('the history of ended runs and earlier attempts is in one conversation', generous, async (context) => {
  const shop = openTalk(context, [[{ say: 'It goes wrong.' }, { exit: 1 }]]).shop
  await shop.answer('task', 'add', 'Sell more', '--persona', 'implementer')
  const screen = await shop.console({ columns: 80, rows: 24 })
  await screen.until(/✗ failed|◔ waiting|1 Board[^]*retry/)
  screen.press('c')
  await screen.until(/run 1, task 1, attempt 1[^]*It goes wrong\./)
  screen.press(escape)
  screen.press('r')
  screen.press('c')
  await screen.until(/run \d, task 1, attempt 1[^]*It goes wrong\.[^]*attempt 2[^]*It goes wrong\./)
})
