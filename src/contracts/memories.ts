// The memories in files (seeds 001 and 002), for surfaces that only show them.

/** The entries of a working memory, in the order in which they were written. Times are as in the file. */
export interface WorkingNotes {
  readonly sessionId: string
  readonly initialized: string
  readonly lastUpdated: string
  readonly currentContext: TaskContext
  readonly observations: readonly {
    readonly timestamp: string
    readonly content: string
    readonly context: TaskContext
  }[]
  readonly decisions: readonly {
    readonly timestamp: string
    readonly decision: string
    readonly reasoning: string
    readonly context: TaskContext
  }[]
  readonly blockers: readonly {
    readonly timestamp: string
    readonly blocker: string
    readonly context: TaskContext
    readonly resolved: boolean
    readonly resolution?: string | null | undefined
    readonly resolvedAt?: string | null | undefined
  }[]
  readonly keyFacts: Readonly<
    Record<
      string,
      {
        readonly timestamp: string
        readonly content: string
        readonly context: TaskContext
        readonly critical?: boolean | undefined
      }
    >
  >
  readonly plan: readonly string[]
  /** The number of the current step, from 1; 0 before the first. */
  readonly currentStep: number | null
  readonly completedTasks: readonly { readonly timestamp: string; readonly taskId: string }[]
}

export interface TaskContext {
  readonly storyId?: string | null | undefined
  readonly epicId?: string | null | undefined
  readonly taskId?: string | null | undefined
}

/** The working memory of one agent. Without notes if its file cannot be read; `problem` then says why in a sentence. */
export interface WorkingMemoryView {
  readonly agent: string
  /** Relative to the repository's root, if it is inside. */
  readonly path: string
  readonly notes: WorkingNotes | null
  readonly problem: string | null
}

export type DecisionStatus = 'Draft' | 'Accepted' | 'Superseded'

/** A decision from its file and the graph. */
export interface DecisionView {
  readonly id: string
  readonly status: DecisionStatus
  /** Null if it is only in the graph. */
  readonly path: string | null
  /** Null, as the text, if there is no file or it cannot be read. */
  readonly title: string | null
  readonly text: string | null
  readonly edges: readonly {
    readonly key: string
    readonly targets: readonly { readonly id: string; readonly note: string | null }[]
  }[]
}

export interface DecisionsView {
  /** In the order of their numbers. */
  readonly decisions: readonly DecisionView[]
  readonly problems: readonly string[]
}

export interface TimelineView {
  /** Oldest first, as in the file. */
  readonly entries: readonly {
    readonly at: string
    readonly agent: string
    readonly title: string
    readonly notes: readonly string[]
    readonly line: number
  }[]
  readonly problems: readonly string[]
}

export interface FileMemories {
  readonly working: readonly WorkingMemoryView[]
  /** The reason why no working memory can be read. */
  readonly workingProblem: string | null
  readonly decisions: DecisionsView
  readonly timeline: TimelineView
}

/** Access of surfaces to the memories outside of the database. */
export interface Memories {
  /**
   * The memories as the files are now. Returns the same object while no file has changed, and the same parts for
   * unchanged files.
   */
  read(): Promise<FileMemories>
  /** Frees the cached memories, which may be large; the next call reads them again. */
  forget(): void
}
