import { it } from 'vitest'
import { enter, escape, generous, openShop, type Shop, tab } from './pty.ts'

const adr = (id: string, title: string): string =>
  `# ${id}: ${title}\n\n## Status\nDraft\n\n## Decision\nFifteen minutes.\n`

/** Memories of agents and people, written by the commands. */
const remember = async (shop: Shop): Promise<void> => {
  await shop.answer('memory', 'init')
  await shop.answer('memory', 'observation', 'dev', 'The API answers 500')
  await shop.answer('memory', 'blocker', 'dev', 'Nobody reaches the staging database')
  shop.write({ 'adr-4.md': adr('ADR-004', 'Keep tokens short'), 'adr-5.md': adr('ADR-005', 'Renew tokens') })
  await shop.answer('memory', 'adr', 'propose', 'ADR-004', '--agent', 'chatgpt', '--file', `${shop.root}/adr-4.md`)
  await shop.answer('memory', 'adr', 'accept', 'ADR-004')
  await shop.answer('memory', 'adr', 'propose', 'ADR-005', '--agent', 'chatgpt', '--file', `${shop.root}/adr-5.md`)
  await shop.answer('memory', 'adr', 'link', 'ADR-005', 'depends_on', 'ADR-004')
  await shop.answer('memory', 'timeline', 'Login is done', '--agent', 'claude', '--note', 'Tokens are checked')
}

it.concurrent('m shows the memories of the swarm, and follows new ones', generous, async (test) => {
  const shop = openShop(test)
  await remember(shop)
  const screen = await shop.console()
  screen.press('m')
  await screen.until('[1 Working]')
  await screen.until(/▸dev .* 1 open blocker/)
  await screen.until(/⚑ blocker .* Nobody reaches the staging database/)
  await shop.answer('memory', 'observation', 'dev', 'Tokens expire too early')
  await screen.until(/· observation .* Tokens expire too early/)

  screen.press(tab)
  await screen.until(/▸✓ ADR-004 +accepted +Keep tokens short/)
  await screen.until(/◌ ADR-005 +draft +Renew tokens/)
  await screen.until(/└─ depends on +✓ ADR-004 +accepted +Keep tokens short/)
  screen.press(`G${enter}`)
  await screen.until('[ADR-004: Keep tokens short]')
  await screen.until('Fifteen minutes.')
  screen.press(escape)
  await screen.until('[2 Decisions]')

  screen.press('3')
  await screen.until(/▸.* claude +Login is done · Tokens are checked/)

  screen.press('/')
  await screen.until('enter search memories and task logs')
  screen.press(`TOKENS${enter}`)
  await screen.until('/TOKENS  1 in Working, 2 in Decisions, 1 in Timeline')
  await screen.until(/▸Working .* dev +Tokens expire too early/)
  screen.press(escape)
  await screen.until('[3 Timeline]')
  screen.press(escape)
  await screen.until('[1 Board]')
})

it.concurrent('the texts and actions of every attempt are one key away', generous, async (test) => {
  const shop = openShop(test, { config: 'session: {maxRetries: 0}\n' })
  const screen = await shop.console()
  await shop.add('Bake', 'echo the oven is hot; test -e flour')
  // No automatic retry comes between the person's retry and the earlier check.
  await screen.until(/▸⚑ +1 .*✗ failed .*Bake/)
  screen.press('t')
  await screen.until('[Trail of task 1: Bake]')
  await screen.until(/✗ Attempt 1 {2}implementer-1 {2}failed after/)
  await screen.until('echo the oven is hot; test -e flour')
  await screen.until('Execution ✗ failed')
  shop.write({ flour: 'white' })
  screen.press(escape)
  await screen.until('[1 Board]')
  screen.press('r')
  await screen.until(/ 1 .*✓ done/)
  screen.press('t')
  await screen.until('[Trail of task 1: Bake]')
  screen.press('G')
  await screen.until('Execution ✓ succeeded')
  screen.press(escape)
  await screen.until('[1 Board]')

  screen.press('m')
  await screen.until('[Memory]')
  screen.press('4')
  await screen.until(/▸✓ .* task 1 try 2 +echo the oven is hot/)
  await screen.until(/ ✗ .* task 1 try 1 +echo the oven is hot/)
  screen.press(enter)
  await screen.until('[Conversation and execution]')
  await screen.until(/message +session-.*:task-1:2/)
  screen.press(escape)
  await screen.until('[4 Conversations]')
})

it.concurrent('a broken memory is one sentence, and the other memories stay readable', generous, async (test) => {
  const shop = openShop(test)
  await remember(shop)
  shop.write({ '.ai/working_memory_qa.json': '{\n  "agentName": "qa",\n  oops\n}\n' })
  const screen = await shop.console({ columns: 60, rows: 15 })
  screen.press('mj')
  await screen.until(/✗ \.ai\/working_memory_qa\.json:3: /)
  await screen.until(/⚑ blocker/)
  screen.press('G')
  await screen.until(/▸✗ \.ai/)
  screen.press(enter)
  await screen.until('[Cannot read this]')
  screen.press(escape)
  await screen.until('[1 Working]')
})
