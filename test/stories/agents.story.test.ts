import { it } from 'vitest'
import { identify } from '../../src/effects/process-identity.ts'
import { enter, escape, generous, openShop, type Screen } from './pty.ts'

/** A command that says its number and goes on until it is ended. */
const endless = `node -e 'console.log("worker", process.pid); setInterval(() => {}, 1000)'`

/** A zombie has ended, though `kill 0` still finds it until somebody asks for its status. */
const isAlive = (pid: string): boolean => identify(Number(pid)) !== undefined

/** Nothing starts by itself any more. */
const pause = async (screen: Screen): Promise<void> => {
  screen.press('p')
  await screen.until('‖ paused')
}

it.concurrent('while scheduling is paused, a task starts when a person says so', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await pause(screen)
  await shop.add('Greet', "echo 'hello from the agent'")
  await shop.add('Wave', "echo 'never said'")
  await screen.until(/▸ +1 .*○ pending .*Greet/)

  screen.press('s')
  await screen.until('implementer-1 (command) is starting on task 1.')
  await screen.until(/▸ +1 .*✓ done .*Greet/)
  await screen.until('3 Log  task 1 implementer-1')
  await screen.until('hello from the agent')
  await screen.until(/ 2 .*○ pending .*Wave/)

  screen.press('p')
  await screen.until('Tasks start by themselves again.')
  await screen.until(/ 2 .*✓ done .*Wave/)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

/** Fails until a file lies in the repository. */
const needy = "[ -e part ] || { echo 'the part is missing' >&2; exit 3; }; echo 'the part fits'"

it.concurrent('a task that has failed says why, waits for its retry, and is retried at once at a key', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await shop.add('Fit the part', needy)
  await screen.until(/▸⚑? *1 .*◔ retry in +\d+s .*Fit the part/)
  screen.press(enter)
  await screen.until(/Error[^]*the part is missing/)
  await screen.until(/Attempts[^]*1\. implementer-1 .* failed[^]*the part is missing/)
  screen.press(escape)
  await screen.until('[1 Board]')

  shop.write({ part: 'a part\n' })
  screen.press('r')
  await screen.until('Task 1 is on the board again.')
  await screen.until(/▸ +1 .*✓ done .*Fit the part/)
  await screen.until('the part fits')
})

it.concurrent('a task that has failed for good waits for a person, who retries it', generous, async (test) => {
  const shop = openShop(test, { config: 'session: {maxRetries: 0}\n' })
  const screen = await shop.console()
  await shop.add('Fit the part', needy)
  await screen.until(/▸⚑ +1 .*✗ failed .*Fit the part/)
  await screen.until('⚑ 1 waits for you')
  screen.press('w')
  await screen.until(/ · .*the part is missing/)
  shop.write({ part: 'a part\n' })
  screen.press('r')
  await screen.until(/▸ +1 .*✓ done .*Fit the part/)
  await screen.lacks('waits for you')
})

it.concurrent('a task is cancelled only after a yes, and then its process is gone', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await shop.add('Work forever', endless)
  const [, worker = ''] = await screen.until(/worker (\d+)/)
  await screen.until(/▸ +1 .*● working/)

  screen.press('x')
  const [, agent = ''] = await screen.until(/Cancels task 1 “Work forever” and stops the process of implementer-1 \(pid (\d+)\)/)
  screen.press('n')
  await screen.lacks('Cancels task 1')
  await screen.until(/▸ +1 .*● working/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([true, true])

  screen.press('x')
  await screen.until('Cancels task 1')
  screen.press('y')
  await screen.until('Task 1 is cancelled.')
  await screen.until(/▸ +1 .*– cancelled/)
  await screen.until(/· implementer-1 .* ended/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([false, false])
})

it.concurrent('an agent is terminated only after a yes, and its task goes back on the board', generous, async (test) => {
  const shop = openShop(test)
  const screen = await shop.console()
  await shop.add('Work forever', endless)
  const [, worker = ''] = await screen.until(/worker (\d+)/)
  await pause(screen)
  screen.press('2')
  await screen.until('[2 Agents]')
  await screen.until(/▸● implementer-1/)

  screen.press('x')
  const [, agent = ''] = await screen.until(/Terminates implementer-1 \(pid (\d+)\) and puts task 1 back on the board/)
  screen.press('n')
  await screen.lacks('Terminates')
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([true, true])

  screen.press('x')
  await screen.until('Terminates')
  screen.press('y')
  await screen.until(/· implementer-1 .* ended/)
  await screen.until(/ 1 .*○ pending .*Work forever/)
  test.expect([isAlive(worker), isAlive(agent)]).toEqual([false, false])
})
