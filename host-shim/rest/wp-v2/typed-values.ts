// Typed reading of the values of a call, which the route's args have checked already.
import type { Values } from '../read-values';

export const textIn = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

export const numberIn = (values: Values, name: string): number | undefined => {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
};

export const textsIn = (values: Values, name: string): readonly string[] | undefined => {
  const value: unknown = values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
};

export const numbersIn = (values: Values, name: string): readonly number[] | undefined => {
  const value: unknown = values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'number') : undefined;
};
