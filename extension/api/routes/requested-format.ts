// The response format that a request asks for, in the `format` parameter or else in the Accept header.
import type { HostRequest } from '../../../host-shim/extension-api';
import { queryError } from '../../language/errors/query-error';
import { type Contract, isEnabled } from '../../language/types/contract';
import {
  ANSWER_FORMATS,
  type AnswerFormat,
  csvSchema,
  formatSchema,
  MEDIA_TYPES,
} from '../answer-formats/format-names';
import { ANSWER_FORMATS_FEATURE } from '../contracts/with-switches';

export interface RequestedFormat {
  readonly format: AnswerFormat;
  readonly forSpreadsheet: boolean;
}

/** Throws E_INVALID_PARAMETER if `format` or `csv` is invalid. If the contract has only JSON, Accept is ignored. */
export function requestedFormat(
  { query, accepts }: Pick<HostRequest, 'query' | 'accepts'>,
  contract: Contract,
): RequestedFormat {
  const format = query.format === undefined ? acceptedFormat(accepts, contract) : namedFormat(query.format);
  const { csv } = query;
  if (csv !== undefined && (format !== 'csv' || !csvSchema.safeParse(csv).success))
    throw queryError('E_INVALID_PARAMETER csv', 'csv', { received: csv, format });
  return { format, forSpreadsheet: csv !== undefined };
}

function namedFormat(received: string): AnswerFormat {
  const { data } = formatSchema.safeParse(received);
  if (data !== undefined) return data;
  throw queryError('E_INVALID_PARAMETER format', 'format', { received, formats: ANSWER_FORMATS });
}

function acceptedFormat(accepts: HostRequest['accepts'], contract: Contract): AnswerFormat {
  if (!isEnabled(contract, ANSWER_FORMATS_FEATURE)) return 'json';
  const type = accepts(ANSWER_FORMATS.map((format) => MEDIA_TYPES[format]));
  return ANSWER_FORMATS.find((format) => MEDIA_TYPES[format] === type) ?? 'json';
}
