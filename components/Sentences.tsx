import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'

export interface SentencesProps {
  readonly heading: SafeText
  readonly sentences: readonly SafeText[]
}

/** A pane as it is read aloud: no border, no columns, a sentence a row. */
export const Sentences = ({ heading, sentences }: SentencesProps) => (
  <Box flexDirection="column" flexShrink={0}>
    <Paint bold>{heading}</Paint>
    {sentences.map((sentence, index) => (
      <Paint key={index}>{sentence}</Paint>
    ))}
  </Box>
)
