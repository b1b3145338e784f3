#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh FOLDER FILE...: files below it as constants of C, by their last names, in the order given, on
# standard output.
set -eu
folder=$1; shift
echo '/* SPDX-License-Identifier: BSD-3-Clause */'
echo '/* Made by viewer/embed.sh. */'
echo '#include "viewer/page_files.h"'
for file in "$@"; do
    name=$(basename "$file" | tr '.-' '__')
    echo "static const unsigned char $name[] = {"
    od -An -v -tu1 "$folder/$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "};"
done
echo 'const perp_page_file perp_page_files[] = {'
for file in "$@"; do
    name=$(basename "$file" | tr '.-' '__')
    echo "    {\"$(basename "$file")\", $name, sizeof $name},"
done
echo '    {0, 0, 0}};'
