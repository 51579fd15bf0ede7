import { whyNotAnswer } from '../domain/request.ts'
import { answerRequest } from '../operations/answer-request.ts'
import type { RequestView } from '../operations/kernel/requests.ts'
import type { Desk } from './desk.ts'
import { answerForm } from './forms.ts'
import { selectAgent } from './movement.ts'
import { closeAll, open } from './overlays.ts'
import { type ConsoleState, looking } from './state.ts'

// From `w` to the answer that an agent waits for.

/** The open request of an agent, the oldest first; what its CLI denied by itself comes last. */
export const openRequestOf = ({ board }: ConsoleState, agentId: string | null): RequestView | undefined => {
  const open = board.requests.filter((request) => request.agentId === agentId && request.status === 'open')
  return open.find(({ kind }) => kind !== 'denial') ?? open[0]
}

/** Selects the agent and shows what it asks. Answering is another key, pressed once it can be read. */
export const showRequest = (desk: Desk, request: RequestView): void => {
  desk.change(selectAgent(request.agentId))
  desk.change(looking(() => ({ shown: `request ${request.id}` })))
  desk.change(open({ kind: 'request', request: request.id, top: 0 }))
}

/** What is asked in the overlay in front. */
export const shownRequest = ({ board, view: { overlay } }: ConsoleState): RequestView | undefined =>
  overlay?.kind === 'request' ? board.requests.find(({ id }) => id === overlay.request) : undefined

const whyNot =
  (verb: 'allow' | 'deny' | 'answer') =>
  (state: ConsoleState): string | undefined => {
    const request = shownRequest(state)
    return request ? whyNotAnswer(verb, request) : 'The request is over; esc goes back.'
  }

export const whyNotAllow = (state: ConsoleState): string | undefined =>
  whyNot('allow')(state) ?? (shownRequest(state)!.kind === 'denial' ? 'It was denied by the CLI and has gone on; a allows it from now on.' : undefined)

export const whyNotAlways = (state: ConsoleState): string | undefined =>
  whyNot('allow')(state) ??
  (shownRequest(state)!.rule === null
    ? shownRequest(state)!.kind === 'denial'
      ? 'No rule can describe this; n leaves it as it is.'
      : 'No rule can describe this; allow it once, or deny it.'
    : undefined)

export const whyNotDeny = (state: ConsoleState): string | undefined => {
  const request = shownRequest(state)
  return request?.kind === 'question' ? whyNotAnswer('answer', request) : whyNot('deny')(state)
}

export const whyNotReply = whyNot('answer')

export const allow = (desk: Desk): void => answer(desk, 'allow', ({ agentId, tool }) => `${agentId} may use ${tool} this once.`)

export const always = (desk: Desk): void => answer(desk, 'always', ({ personaId, rule }) => `${rule} is allowed for ${personaId} from now on; it stands in .aiswarm/config.yaml.`)

export const deny = (desk: Desk): void => {
  const request = shownRequest(desk.state())!
  if (request.kind !== 'question') return answer(desk, 'deny', ({ agentId, tool, kind }) => (kind === 'denial' ? 'Left as it was.' : `${agentId} may not use ${tool}.`))
  desk.change(closeAll)
  desk.perform(
    answerRequest,
    { requestId: request.id, verdict: 'answer', answer: 'The person does not want to decide this: decide by yourself, or fail the task.' },
    () => `${request.agentId} decides by itself.`,
  )
}

/** A question is answered in words. */
export const reply = (desk: Desk): void => {
  const request = shownRequest(desk.state())!
  desk.change(open({ kind: 'form', form: answerForm(request.id, request.subject, request.options) }))
}

/** Answers exactly the request that was shown. */
const answer = (desk: Desk, verdict: 'allow' | 'deny' | 'always', receipt: (answered: RequestView & { personaId: string }) => string): void => {
  const { id } = shownRequest(desk.state())!
  desk.change(closeAll)
  desk.perform(answerRequest, { requestId: id, verdict }, receipt)
}
