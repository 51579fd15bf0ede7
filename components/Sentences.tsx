import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { Paint } from './base/Paint.tsx'

export interface SentencesProps {
  readonly heading: SafeText
  readonly sentences: readonly SafeText[]
}

/** A pane for a screen reader: no border, no columns, one sentence per row. */
export const Sentences = ({ heading, sentences }: SentencesProps) => (
  <Box flexDirection="column" flexShrink={0}>
    <Paint bold>{heading}</Paint>
    {sentences.map((sentence, index) => (
      <Paint key={index}>{sentence}</Paint>
    ))}
  </Box>
)
