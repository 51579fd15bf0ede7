import { places } from './names.ts'
import { alone, bytesOf, makeFolder, type ProjectPlace, readLedger, textAt, writeAt, writeLedger } from './store.ts'
import { hashOf } from './ledger.ts'
import { timelineHead } from './timeline.ts'

/** Creates missing folders and files of project memory; returns the paths of the files it created. */
export const initProjectMemory = (place: ProjectPlace): readonly string[] =>
  alone(place, () => {
    for (const folder of [places.adrs, places.agents, places.archive]) makeFolder(place, folder)
    const made = Object.entries(scaffold).flatMap(([path, text]) => {
      if (bytesOf(place, path) !== undefined) return []
      writeAt(place, path, text)
      return [path]
    })
    textAt(place, places.timeline)
    const ledger = readLedger(place)
    if (!ledger.timeline) {
      const bytes = bytesOf(place, places.timeline)!
      writeLedger(place, { ...ledger, timeline: { bytes: bytes.length, sha256: hashOf(bytes) } })
    }
    return made
  })

const scaffold: Readonly<Record<string, string>> = {
  [places.summary]: `# Project Summary

The current state. The orchestrator or a person writes it, and it takes precedence over every other file of this memory.

## Current State

## Phase Status

### Completed

### In Progress
- Phase 0: None

### Pending

## Open Questions
`,
  [places.timeline]: timelineHead,
  [places.protocol]: `# Hand-off Protocol

1. Write down where you are: \`aiswarm memory timeline TITLE --agent YOU --note TEXT\`.
2. Write a goal for the next agent with the sections Current state, Open question, Context, Constraints and Success criteria.
3. Hand over: \`aiswarm memory handoff YOU NEXT --file GOAL.md\`. It becomes \`context/agents/NEXT/goal.md\`.
4. A person or the orchestrator updates \`context/meta/summary.md\`.
5. \`aiswarm memory verify\` shows what is missing.

An accepted decision never changes. To decide otherwise, propose a new one, have it accepted, and let it supersede the old one.
`,
  [places.decisions]: `# Decisions Log
`,
}
