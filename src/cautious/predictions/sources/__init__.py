"""What predictions come from: tables and text files, arrays, fitted estimators."""
