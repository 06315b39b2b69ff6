// Uploads a file with XMLHttpRequest, because fetch does not report upload progress.
import { restNonce, restRoot } from '../shared/rest';
import { errorOf, isObject, type JsonObject } from '../shared/rest-answer';

/** The import stopped at an invalid row. */
export class InvalidRow extends Error {}

export interface Sending {
  /** Rejects with an Error whose message can be shown. */
  readonly answer: Promise<JsonObject>;
  cancel(): void;
}

/** `onSent` receives the share of the file that has been sent, from 0 to 1. */
export function send(route: string, file: File, onSent: (share: number) => void): Sending {
  const request = new XMLHttpRequest();
  const answer = new Promise<JsonObject>((resolve, reject) => {
    const settle = () => {
      const { status, response: body } = request;
      if (status === 200 && isObject(body)) return resolve(body);
      const { message } = errorOf({ status, body });
      const isInvalid = isObject(body) && isObject(body.data) && typeof body.data.line === 'number';
      reject(isInvalid ? new InvalidRow(message) : new Error(message));
    };
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onSent(total === 0 ? 1 : loaded / total),
    );
    for (const event of ['load', 'error']) request.addEventListener(event, settle);
    request.addEventListener('abort', () => reject(new Error('Canceled; nothing was imported.')));
  });
  request.open('POST', restRoot() + route);
  request.responseType = 'json';
  request.setRequestHeader('X-WP-Nonce', restNonce());
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.send(file);
  return { answer, cancel: () => request.abort() };
}
