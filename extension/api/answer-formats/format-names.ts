import { z } from 'zod';

/** Formats whose rows are sent as they are read. */
export const STREAMED_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type StreamedFormat = (typeof STREAMED_FORMATS)[number];

export const ANSWER_FORMATS = ['json', ...STREAMED_FORMATS] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

export const formatSchema = z.enum(ANSWER_FORMATS);

export const csvSchema = z.enum(['spreadsheet']);

export const MEDIA_TYPES: Readonly<Record<AnswerFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};
