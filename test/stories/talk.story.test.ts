import { test } from 'vitest'
import { enter, escape, generous, right, tab } from './pty.ts'
import { openTalk } from './talking.ts'

test(
  'a person speaks to an agent, a console dies, and another stops the turn and speaks on',
  generous,
  async (context) => {
    const { shop, tell, heard } = openTalk(context, [
      [{ say: 'I begin.' }, { until: 'go' }, { say: 'on it' }, { until: 'never' }],
      [{ until: 'end' }],
    ])
    await shop.answer('task', 'add', 'Sell more', '--persona', 'implementer')
    const first = await shop.console({ columns: 80, rows: 24 })
    await first.until(/◐ claimed .*implementer-1/)
    await first.until('I begin.')
    first.press('M')
    await first.until('Say to implementer-1 (talker)')
    await first.until('Now: The agent')
    first.press(enter)
    await first.until('The message is empty. Enter a message.')
    first.press('Mind the tax.')
    first.press(enter)
    await first.until('Message to implementer-1 is queued (now)')
    first.press('2')
    first.press(enter)
    await first.until(/Messages {2}1[^]*human, now: handed over/)
    tell('go')
    await first.until(/Messages {2}1[^]*human, now: seen[^]*Mind the tax\./)
    await first.kill()

    const second = await shop.console({ columns: 80, rows: 24 })
    await second.until(/◐ claimed .*implementer-1/)
    second.press('M')
    await second.until('Say to implementer-1')
    second.press('Only the tax.')
    second.press(tab)
    second.press(`${right}`)
    second.press(`${right}`)
    await second.until(/When +◂ stop the turn first/)
    second.press(enter)
    await second.until('is queued (stop the turn first)')
    second.press('2')
    second.press(enter)
    await second.until(/Messages {2}3[^]*3\. .*now: seen[^]*Only the tax\.[^]*2\. .*now: seen[^]*Stop the turn\./)
    second.press(escape)
    context.expect(heard().slice(1)).toEqual(['Mind the tax.', 'Only the tax.'])
    // One run, through two consoles and a stop.
    context.expect(await shop.answer('agent', 'show', 'implementer-1')).toMatchObject({ run: 1, process: 'started' })
  },
)
