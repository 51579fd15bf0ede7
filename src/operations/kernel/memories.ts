// The memories that lie in files (seeds 001 and 002), as a surface that only shows them needs them.

/** A working memory's entries, in the order in which they were written. Times are as the file has them. */
export interface WorkingNotes {
  readonly sessionId: string
  readonly initialized: string
  readonly lastUpdated: string
  readonly currentContext: TaskContext
  readonly observations: readonly { readonly timestamp: string; readonly content: string; readonly context: TaskContext }[]
  readonly decisions: readonly { readonly timestamp: string; readonly decision: string; readonly reasoning: string; readonly context: TaskContext }[]
  readonly blockers: readonly {
    readonly timestamp: string
    readonly blocker: string
    readonly context: TaskContext
    readonly resolved: boolean
    readonly resolution?: string | null | undefined
    readonly resolvedAt?: string | null | undefined
  }[]
  readonly keyFacts: Readonly<Record<string, { readonly timestamp: string; readonly content: string; readonly context: TaskContext; readonly critical?: boolean | undefined }>>
  readonly plan: readonly string[]
  /** Number of the step that it is at, from 1; 0 before the first. */
  readonly currentStep: number | null
  readonly completedTasks: readonly { readonly timestamp: string; readonly taskId: string }[]
}

export interface TaskContext {
  readonly storyId?: string | null | undefined
  readonly epicId?: string | null | undefined
  readonly taskId?: string | null | undefined
}

/** Of one agent. Without notes where its file cannot be read, which `problem` then says in a sentence. */
export interface WorkingMemoryView {
  readonly agent: string
  /** From the repository's root on, where it lies in there. */
  readonly path: string
  readonly notes: WorkingNotes | null
  readonly problem: string | null
}

export type DecisionStatus = 'Draft' | 'Accepted' | 'Superseded'

/** A decision as its file and the graph tell of it. */
export interface DecisionView {
  readonly id: string
  readonly status: DecisionStatus
  /** Null where it stands in the graph alone. */
  readonly path: string | null
  /** Null, as the text, where there is no file or it cannot be read. */
  readonly title: string | null
  readonly text: string | null
  readonly edges: readonly { readonly key: string; readonly targets: readonly { readonly id: string; readonly note: string | null }[] }[]
}

export interface DecisionsView {
  /** In the order of their numbers. */
  readonly decisions: readonly DecisionView[]
  readonly problems: readonly string[]
}

export interface TimelineView {
  /** Oldest first, as they stand in the file. */
  readonly entries: readonly { readonly at: string; readonly agent: string; readonly title: string; readonly notes: readonly string[]; readonly line: number }[]
  readonly problems: readonly string[]
}

export interface FileMemories {
  readonly working: readonly WorkingMemoryView[]
  /** What keeps all working memories from being read. */
  readonly workingProblem: string | null
  readonly decisions: DecisionsView
  readonly timeline: TimelineView
}

/** How surfaces reach the memories beside the database. */
export interface Memories {
  /** As the files are now. While none has changed it is the same object, and what has not changed in it as well. */
  read(): Promise<FileMemories>
  /** Lets go of what was read, which may be much; the next reading begins anew. */
  forget(): void
}
