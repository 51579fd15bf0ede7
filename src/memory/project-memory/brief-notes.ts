import { isRefusal } from '../../domain/rules/refusal.ts'
import type { WorkingMemory } from '../working-memory/memory.ts'
import type { BriefSources } from './brief.ts'

/**
 * The part of a brief from an agent's working memory (seed 002): open blockers and key facts, critical ones first. A
 * memory that cannot be read is reported.
 */
export const notesOf = (
  read: () => WorkingMemory | undefined,
): Pick<BriefSources, 'blockers' | 'keyFacts' | 'problems'> => {
  try {
    return toldBy(read())
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { problems: [error.message] }
  }
}

const toldBy = (memory: WorkingMemory | undefined): Pick<BriefSources, 'blockers' | 'keyFacts'> => {
  const facts = Object.entries(memory?.keyFacts ?? {}).map(([key, { content, critical }]) => ({
    critical: critical === true,
    text: /^fact_\d+_/.test(key) ? content : `${key}: ${content}`,
  }))
  return {
    blockers: (memory?.blockers ?? []).filter(({ resolved }) => !resolved).map(({ blocker }) => blocker),
    keyFacts: [...facts.filter(({ critical }) => critical), ...facts.filter(({ critical }) => !critical)].map(
      ({ text }) => text,
    ),
  }
}
