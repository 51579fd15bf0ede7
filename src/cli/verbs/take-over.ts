import { randomUUID } from 'node:crypto'
import type { Taken } from '../../contracts/conversation.ts'
import { type HandBack, handBacks } from '../../domain/agent/conversation.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { handBack } from '../../operations/agents/hand-back.ts'
import { act } from '../../operations/perform/perform.ts'
import { type Answer, type Call, open } from '../call/command.ts'
import { untilAnswered } from '../call/follow.ts'
import { section } from '../print/columns.ts'

interface Choice {
  readonly how: HandBack
  readonly text: string
}

/** Takes a conversation over on this terminal, and asks afterwards how its task goes on. */
export const takeOverHere = async (call: Call, agentId: string): Promise<Answer> => {
  const { streams, services } = call
  if (!streams.stdinIsTerminal || !streams.stdoutIsTerminal)
    throw new Refusal(
      'needs_terminal',
      `Taking over ${agentId} opens its own program, which needs a terminal. Run the command in one, or speak to the agent ('aiswarm agent say').`,
    )
  const connection = await open(call)
  const taken = await connection.outside.takeOver(agentId, connection.actor)
  streams.err(
    `You hold task ${taken.taskId} as ${taken.holderId} while ${safeText(taken.argv[0]!)} runs here. Leave it to choose how the task continues.\n`,
  )
  await services.lendTo(taken)
  for (;;) {
    const { how, text } = await chosen(call, taken)
    try {
      // Nothing that was typed is lost to an outage, and a task whose commit was not heard of is not handed back twice.
      const requestId = randomUUID()
      const handed = await untilAnswered(call, connection, () =>
        act(connection, handBack, { holderId: taken.holderId, how, text }, { requestId }),
      )
      return { json: handed, text: receipts[how](taken.taskId, handed.agentId) }
    } catch (error) {
      // Another answer may do, as long as the person holds the task.
      if (!isRefusal(error) || error.code === 'lease_lost' || how === 'board') throw error
      streams.err(`${error.message}\n`)
    }
  }
}

const ways: Record<HandBack, string> = {
  agent: 'the agent continues',
  done: 'the task is done',
  failed: 'the task has failed',
  board: 'the task is pending for any agent',
}

const texts: Record<Exclude<HandBack, 'board'>, string> = {
  agent: 'A word for the agent (empty: none): ',
  done: 'The result (empty: none): ',
  failed: 'Why it has failed: ',
}

const receipts: Record<HandBack, (task: number, agent: string | null) => string> = {
  agent: (task, agent) => `${agent} continues task ${task}; it starts while the console or 'aiswarm run' runs.`,
  done: (task) => `Task ${task} is completed.`,
  failed: (task) => `Task ${task} has failed.`,
  board: (task) => `Task ${task} is pending again.`,
}

/** Asks until a way is typed. Ctrl-C and a closed terminal leave the task to any agent, so that it does not wait. */
const chosen = async (call: Call, { taskId, agentId }: Taken): Promise<Choice> => {
  try {
    for (let above = `${heading(taskId, agentId)}\n\n`; ; above = '') {
      const typed = (await call.streams.ask(`${handBacks.join(', ')}? `, above)).trim()
      const how = handBacks.find((one) => one === typed)
      if (how === 'board') return { how, text: '' }
      if (how) return { how, text: (await call.streams.ask(texts[how], '')).trim() }
    }
  } catch {
    return { how: 'board', text: '' }
  }
}

const heading = (taskId: number, agentId: string): string =>
  section(
    `Hand task ${taskId} back (conversation of ${safeText(agentId)})`,
    handBacks.map((how) => `${how.padEnd(7)} ${ways[how]}`),
  )
