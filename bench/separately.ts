// Runs the clients of a measurement in separate processes, so that they do not share a process with the server.
import { fork } from 'node:child_process';

/** Starts the file as a program and returns the result of the work that it passes to `workAlone`. */
export function runSeparately<Task extends object, Result>(file: string, task: Task): Promise<Result> {
  const child = fork(file);
  return new Promise((resolve, reject) => {
    child.once('message', (result: Result) => resolve(result));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The clients exited with ${code} without a result.`)));
    child.send(task);
  });
}

/** Called by a file that `runSeparately` starts: runs the received task and sends back the result. */
export function workAlone<Task, Result extends object>(work: (task: Task) => Promise<Result>): void {
  process.once('message', (task: Task) => {
    work(task).then(
      (result) => process.send?.(result, () => process.disconnect()),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  });
}
