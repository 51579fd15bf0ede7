import type { StartAnswers, StartProposal } from '../../../contracts/first-start.ts'
import type { Services } from '../../call/services.ts'
import { type Asked, askFirstStart } from './first-start.ts'

/** The answers of a person who takes every proposal. */
export const proposedAnswers = ({ targets, verifications, agents }: StartProposal): StartAnswers => ({
  target: targets[0]!,
  verify: verifications[0]?.command ?? '',
  setup: verifications[0]?.setup ?? '',
  agent: agents[0]?.kind ?? null,
})

/** Asks on the terminal of this process, and writes what the person confirms. */
export const startHere = async (
  proposal: StartProposal,
  { configurationFor, initialise }: Pick<Services, 'configurationFor' | 'initialise'>,
  options: { readonly bmad?: boolean } = {},
): Promise<{ readonly asked: Asked; readonly made: readonly string[] }> => {
  let made: readonly string[] = []
  const asked = await askFirstStart(proposal, {
    input: process.stdin,
    output: process.stdout,
    preview: configurationFor,
    write: async (answers) => void (made = await initialise(proposal.root, { ...options, answers })),
  })
  return { asked, made }
}
