// What an extension is given when it is registered, and where the host keeps what it registered.
import { type CommandDefinition, type Extension, type Host, SettingError } from './extension-api';
import { createRegistry, type Registry } from './rest/registry';

export interface ExtensionHost {
  readonly host: Host;
  readonly registry: Registry;
  readonly commands: readonly CommandDefinition[];
}

/** An extension that could not start; the message names it. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';
}

export function createExtensionHost(parts: Pick<Host, 'clock' | 'log' | 'database'>): ExtensionHost {
  const registry = createRegistry();
  const commands: CommandDefinition[] = [];
  return {
    registry,
    commands,
    host: {
      ...parts,
      registerNamespace: (definition) => registry.add(definition),
      registerCommand: (definition) => {
        if (commands.some(({ name }) => name === definition.name)) {
          throw new Error(`The command ${definition.name} is registered twice.`);
        }
        commands.push(definition);
      },
    },
  };
}

/** Registers each extension in order; the first that fails stops it with its name, or with the setting at fault. */
export async function registerExtensions(host: Host, extensions: readonly Extension[]): Promise<void> {
  for (const extension of extensions) {
    try {
      await extension.register(host);
    } catch (error) {
      if (error instanceof SettingError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new ExtensionFailed(
        `The extension ${extension.name} ${extension.version} could not start: ${reason}`,
        { cause: error },
      );
    }
  }
}
